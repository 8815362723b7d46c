"""A tree with nothing left out: no node is simple, no map is the identity."""

from __future__ import annotations

from dataclasses import replace
from unittest import mock

from tacit.tree import PublicTree
from tacit.tree import public_tree as module


def general_tree(tree: PublicTree) -> PublicTree:
    """The same tree, laid out for the general loops only; slots and values keep their places."""
    drawing = replace(
        tree.drawing, nodes=[replace(node, simple=False) for node in tree.drawing.nodes]
    )
    with mock.patch.object(module, "keeps_index", return_value=False):
        return PublicTree(tree.builder, drawing)
