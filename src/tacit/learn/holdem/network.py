"""The network over equity knots, its file, and the evaluator that it is for searches.

`KnotEvaluator` implements `PBSEvaluator` of `tacit.solvers.leaves` for PBSs of `CardState`s on any
street, before the cards of the street or at the start of its betting, in batches:

    evaluator = load_evaluator("holdem-turn")             # a shipped one, a run's folder or a file
    Solver(tree, algorithm, leaves=evaluator)             # leaves of a depth-limited search
    evaluator.values(pbss)                                # chips of all hands, zero-sum

A network knows in which situations it was trained and refuses others. To train one of your own:
encode PBSs and their exact or averaged values as `examples.Examples`, and `fitting.fit` it;
`KnotEvaluator.save` writes weights of 16 bits with the command and the seed that made them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from tacit.archive import read_arrays, reading, write_arrays
from tacit.games import GameError
from tacit.learn.holdem.equity_table import Float32
from tacit.learn.holdem.knots import INPUTS, OUTPUTS, Positions, Situation, card_state, locate
from tacit.learn.network import inference
from tacit.suggest import unknown
from tacit.tree.pbs import PBS

FOLDER = Path(__file__).parent / "networks"
VERSION = 1
WHAT = "a network of hold'em"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What a network was made by, and from what: kept in its file."""

    command: str
    seed: int
    examples: int = 0
    seconds: float = 0.0


class KnotNetwork(nn.Module):
    """An MLP from a row to the curves of one player; before training it answers zero."""

    def __init__(self, hidden: Sequence[int] = (512, 512, 512), *, seed: int = 0) -> None:
        super().__init__()
        self.hidden = tuple(hidden)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            stack: list[nn.Module] = []
            inputs = INPUTS
            for width in self.hidden:
                stack += [nn.Linear(inputs, width), nn.LayerNorm(width), nn.GELU()]
                inputs = width
            last = nn.Linear(inputs, OUTPUTS)
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)
            self.body = nn.Sequential(*stack, last)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """[n, INPUTS] to [n, OUTPUTS]."""
        return cast(torch.Tensor, self.body(rows))

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """A copy of all weights by name."""
        return {name: weight.detach().numpy().copy() for name, weight in self.state_dict().items()}

    def put_weights(self, weights: Mapping[str, NDArray[np.floating]]) -> None:
        """Replace all weights."""
        self.load_state_dict(
            {name: torch.from_numpy(each.astype(np.float32)) for name, each in weights.items()}
        )

    def curves(self, rows: Float32) -> Float32:
        """[.., OUTPUTS] for rows [.., INPUTS], without gradients."""
        with inference():
            flat = torch.from_numpy(rows.reshape(-1, INPUTS))
            answer: Float32 = self.body(flat).numpy()
        return answer.reshape(*rows.shape[:-1], OUTPUTS)


class KnotEvaluator:
    """A network with the situations in which it was trained."""

    def __init__(
        self, network: KnotNetwork, situations: Sequence[Situation], origin: Origin
    ) -> None:
        self.network = network
        self.situations = frozenset(situations)
        self.origin = origin

    def values(self, pbss: Sequence[PBS]) -> Sequence[tuple[NDArray[Any], NDArray[Any]]]:
        """For each PBS the expected chips [K_0] and [K_1] of both players' hands."""
        positions = locate(pbss)
        shares = self.shares(positions)
        answers = []
        for number, pbs in enumerate(pbss):
            chips = positions.pot[number] * shares[number].astype(np.float64)
            hands = card_state(pbs).deal.hands
            answers.append((chips[0][hands[0]], chips[1][hands[1]]))
        return answers

    def shares(self, positions: Positions) -> Float32:
        """[n, 2, 1326] the values of all hands in shares of the pot."""
        open_ = positions.scale > 0
        met = {Situation(number) for number in np.unique(positions.situation[open_])}
        if met - self.situations:
            known = ", ".join(each.label for each in sorted(self.situations))
            raise GameError(
                f"this network was trained for: {known}; not for: "
                f"{', '.join(each.label for each in sorted(met - self.situations))}"
            )
        return positions.values(self.network.curves(positions.rows()))

    def save(self, path: Path) -> None:
        """Write the weights in 16 bits, with what made them."""
        head = {
            "version": VERSION,
            "hidden": self.network.hidden,
            "situations": sorted(int(each) for each in self.situations),
            **vars(self.origin),
        }
        weights = self.network.weights()
        arrays = {name: weight.astype(np.float16) for name, weight in weights.items()}
        text = np.frombuffer(json.dumps(head).encode(), np.uint8)
        write_arrays(path, {"head": text, **arrays}, compressed=True)

    @classmethod
    def load(cls, path: Path) -> KnotEvaluator:
        """The network in a file; ArchiveError if it is none or damaged."""
        arrays = read_arrays(path, WHAT)
        with reading(path, WHAT):
            head: Mapping[str, Any] = json.loads(arrays.pop("head").tobytes())
            if head["version"] != VERSION:
                raise GameError(f"it has version {head['version']}, expected {VERSION}")
            network = KnotNetwork(head["hidden"])
            network.put_weights(arrays)
            origin = Origin(
                command=head["command"],
                seed=head["seed"],
                examples=head["examples"],
                seconds=head["seconds"],
            )
            return cls(network, [Situation(number) for number in head["situations"]], origin)


def shipped() -> dict[str, Path]:
    """The networks of hold'em in the package, by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.npz"))}


def find_network(name: str | Path) -> Path:
    """The network of a run's folder, of a file, or of a name in the package."""
    path = Path(name)
    if path.is_dir():
        return path / "network.npz"
    if path.exists():
        return path
    known = shipped()
    if str(name) in known:
        return known[str(name)]
    hint = unknown("network of hold'em", str(name), known)
    raise GameError(f"{hint}; or name a run or a file")


def load_evaluator(name: str | Path) -> KnotEvaluator:
    """The evaluator of a run's folder, of a file, or of a name in the package."""
    return KnotEvaluator.load(find_network(name))
