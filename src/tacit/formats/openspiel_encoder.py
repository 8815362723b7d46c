"""The encoder of OpenSpiel's games, from their observation tensors.

The public features are both players' tensors, averaged over the histories of a public state;
public entries keep their values. Entries that differ between the histories are a player's private
knowledge, and their values name a private column: the same card has the same column in every
public state.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.formats.openspiel import OpenSpielGame, OpenSpielState
from tacit.games import CHANCE, State
from tacit.games.encoder import GameEncoder

Key = tuple[tuple[tuple[int, float], ...], int]
"""The private entries of a tensor, and a number that makes the key unique."""


class _Seen(NamedTuple):
    """Features [F] of a public state, and the column keys by player and infostate."""

    features: NDArray[np.float32]
    keys: tuple[dict[int, Key], dict[int, Key]]


class ObservationEncoder(GameEncoder):
    """The columns of one OpenSpiel game; `tensor` is the name of the tensor method."""

    def __init__(self, game: OpenSpielGame, tensor: str) -> None:
        self.game = game
        self.tensor = tensor
        public = np.asarray(game.table.public)
        self._rows = np.argsort(public, kind="stable")
        self._starts = np.searchsorted(public[self._rows], np.arange(int(public.max()) + 2))
        self._known: dict[int, _Seen] = {}

    def features(self, world: State) -> NDArray[np.float32]:
        """[F] whether chance moves, the number of moves, and both players' mean tensors."""
        return self._look(world).features

    def private_key(self, world: State, player: int) -> Hashable:
        """The entries of the player's tensor that are not public."""
        assert isinstance(world, OpenSpielState)
        return self._look(world).keys[player][self.game.table.private[player][world.row]]

    def _look(self, world: State) -> _Seen:
        assert isinstance(world, OpenSpielState)
        public = world.public()
        if public not in self._known:
            self._known[public] = self._read(public)
        return self._known[public]

    def _read(self, public: int) -> _Seen:
        table = self.game.table
        rows = self._rows[self._starts[public] : self._starts[public + 1]].tolist()
        states = [OpenSpielState(self.game, row) for row in rows]
        spiels = [state.spiel() for state in states]
        moves = len(states[0].history()) / max(self.game.spiel.max_game_length(), 1)
        parts = [[float(states[0].player == CHANCE), moves]]
        keys: list[dict[int, Key]] = []
        for player in (0, 1):
            tensors = _scaled([getattr(spiel, self.tensor)(player) for spiel in spiels])
            parts.append(tensors.mean(axis=0).tolist())
            own = np.flatnonzero((tensors != tensors[0]).any(axis=0)).tolist()
            names: dict[int, Key] = {}
            uses: dict[tuple[tuple[int, float], ...], int] = {}
            for row, tensor in zip(rows, tensors, strict=True):
                infostate = table.private[player][row]
                if infostate not in names:
                    entries = tuple((i, round(float(tensor[i]), 6)) for i in own if tensor[i])
                    uses[entries] = uses.get(entries, 0) + 1
                    names[infostate] = entries, uses[entries]
            keys.append(names)
        return _Seen(np.concatenate(parts).astype(np.float32), (keys[0], keys[1]))


def _scaled(tensors: Any) -> NDArray[np.float64]:
    """Tensors [n, D] with entries beyond one on a logarithmic scale."""
    values = np.asarray(tensors, dtype=np.float64)
    size = np.abs(values)
    scaled: NDArray[np.float64] = np.where(
        size > 1, np.sign(values) * (1 + np.log(np.maximum(size, 1))), values
    )
    return scaled
