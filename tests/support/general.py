"""A tree with nothing left out: no node is simple, no map is the identity."""

from __future__ import annotations

from unittest import mock

from tacit.tree import PublicTree, Transition, build_tree
from tacit.tree import public_state as module


def general_tree(tree: PublicTree) -> PublicTree:
    """The whole game's tree, laid out for the general loops; slots and values keep their places."""
    with (
        mock.patch.object(module, "_is_simple", return_value=False),
        mock.patch.object(Transition, "identity", (False, False)),
    ):
        return build_tree(tree.game)
