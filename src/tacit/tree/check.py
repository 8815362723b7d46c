"""The checks of `check_game` on the public states that are derived from a game's rules."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from tacit.games import TERMINAL, Game
from tacit.tree.builder import Builder
from tacit.tree.public_state import GameTooLargeError, PublicState


def check_public_states(game: Game, *, playouts: int = 20, seed: int = 0) -> None:
    """Expand the public states of random playouts; GameError if one of them is inconsistent.

    Expanding checks merges of infostates, chance weights and folding. Public states with too many
    pairs of infostates are not checked.
    """
    builder = Builder(game)
    random = np.random.default_rng(seed)
    with suppress(GameTooLargeError):
        for _ in range(playouts):
            state: PublicState = builder.root
            while state.mover != TERMINAL:
                ways = state.expansion.transitions
                state = ways[int(random.integers(len(ways)))].child
            assert state.payoffs.size
