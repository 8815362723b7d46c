"""Random small games, written as rules like any other game.

What happens at a public state is drawn from the seed and the public history alone, so that the
mover is public; what may depend on a player's private knowledge is drawn from that too. There are
three families:

- *remembering*: private deals that are correlated, chance in the middle (public, private, seen in
  part or by nobody), moves of which the public sees a function, private glimpses of the opponent's
  move, actions that are legal for some infostates only, and moves that are forgotten at once,
  wholly or in part: they change nothing that follows, so infostates merge and the merge is exact;
- *wandering*: players hold a position and forget how they came there, as in a pursuit. Deals and
  private chance are uniform and independent, so every merge of positions is exact;
- *open*: nothing is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from hypothesis import strategies as st

from tacit.games import CHANCE, TERMINAL, Game, State

REMEMBERING, WANDERING, OPEN = "remembering", "wandering", "open"
FAMILIES = (REMEMBERING, WANDERING, OPEN)

Memory = tuple[int, ...]


@dataclass(frozen=True)
class Rules:
    """What the states of one random game share; `length` is the number of steps after the deal."""

    family: str
    seed: int
    length: int
    deals: tuple[int, int]
    actions: int
    payoff_digits: int | None

    def draw(self, *facts: object) -> Random:
        """A stream of random numbers that depends on these facts alone."""
        return Random(repr((self.seed, *facts)))


@dataclass(frozen=True)
class Step:
    """What a public history leads to: who moves, and how much of it who sees."""

    mover: int
    size: int
    seen: tuple[int, ...]
    """[size] what the public sees of each action"""
    glimpse: tuple[int, ...] | None
    """[size] what the opponent alone sees of each action, or nothing"""
    kept: tuple[int, ...]
    """[size] what the mover remembers of each action"""
    restricted: bool
    """Whether the legal actions depend on what the mover knows"""
    watcher: int
    """Who sees chance's outcome: 2 both, 3 nobody; at a wanderer's move: whether it is peeked at"""


def _partition(draw: Random, size: int) -> tuple[int, ...]:
    """A function of an action: all of it, nothing, or a part."""
    kind = draw.choice(("all", "nothing", "part"))
    if kind == "all":
        return tuple(range(size))
    return tuple(0 if kind == "nothing" else draw.randrange(2) for _ in range(size))


@lru_cache(maxsize=100_000)
def _step(rules: Rules, events: tuple[tuple[int, ...], ...]) -> Step:
    draw = rules.draw("step", events)
    size = draw.randint(2, rules.actions)
    everything = tuple(range(size))
    mover = draw.choice((0, 1, 0, 1, 0, 1, CHANCE, CHANCE))
    if rules.family == OPEN:
        return Step(mover, size, everything, None, (0,) * size, False, 2)
    restricted = draw.random() < 0.4
    if rules.family == WANDERING:
        watcher = draw.randrange(2)
        if mover != CHANCE:
            return Step(mover, size, (0,) * size, None, everything, restricted, watcher)
        if draw.random() < 0.5:
            return Step(mover, size, _partition(draw, size), None, everything, restricted, 2)
        # A rotation by every amount alike: into every position there is one way from each.
        size = rules.deals[watcher]
        return Step(mover, size, (0,) * size, None, tuple(range(size)), False, watcher)
    if mover == CHANCE:
        seen = _partition(draw, size)
        return Step(mover, size, seen, None, everything, restricted, draw.randrange(4))
    seen = _partition(draw, size)
    kept = everything
    glimpse = _partition(draw, size) if draw.random() < 0.3 else None
    if draw.random() < 0.3:
        # To forget a move is exact only if nobody else has seen what is forgotten.
        kept = tuple(draw.randrange(2) for _ in range(size))
        seen = kept if draw.random() < 0.5 else (0,) * size
        glimpse = None
    return Step(mover, size, seen, glimpse, kept, restricted, 2)


@dataclass(frozen=True, slots=True)
class RandomState(State):
    """`memories` are what each player alone knows; `events` is what the public has seen.

    `secret` is what chance alone knows; it counts in the payoff. `forgotten` collects what makes
    world states different and nothing else: no rule may depend on it.
    """

    rules: Rules
    memories: tuple[Memory, Memory] | None = None
    events: tuple[tuple[int, ...], ...] = ()
    secret: Memory = ()
    forgotten: Memory = ()

    @property
    def step(self) -> Step:
        return _step(self.rules, self.events)

    @property
    def over(self) -> bool:
        if self.memories is None:
            return False
        if len(self.events) > self.rules.length:
            return True
        early = self.rules.draw("over", self.events).random() < 0.08
        return len(self.events) > 1 and early

    @property
    def player(self) -> int:
        if self.memories is None:
            return CHANCE
        return TERMINAL if self.over else self.step.mover

    def actions(self) -> list[int]:
        rules = self.rules
        if self.memories is None:
            pairs = rules.deals[0] * rules.deals[1]
            if rules.family != REMEMBERING:
                return list(range(pairs))
            # A pair may be impossible; each infostate keeps one partner.
            draw = rules.draw("deal")
            width = rules.deals[1]
            return [
                pair for pair in range(pairs)
                if draw.random() < 0.75 or pair // width == pair % width % rules.deals[0]
            ]  # fmt: skip
        if self.over:
            return []
        step = self.step
        everything = list(range(step.size))
        if not step.restricted:
            return everything
        if step.mover == CHANCE:
            known: object = self.memories if rules.family == REMEMBERING else None
        else:
            known = self.memories[step.mover]
        draw = rules.draw("legal", self.events, known)
        legal = [action for action in everything if draw.random() < 0.7]
        return legal or [draw.randrange(step.size)]

    def chance(self) -> list[float]:
        rules = self.rules
        actions = self.actions()
        if rules.family == REMEMBERING:
            draw = rules.draw("chance", self.events, self.memories)
        elif rules.family == OPEN and self.memories is not None:
            draw = rules.draw("chance", self.events)
        else:
            return [1 / len(actions)] * len(actions)
        weights = [draw.uniform(0.2, 1.0) for _ in actions]
        return [weight / sum(weights) for weight in weights]

    def child(self, action: int) -> RandomState:
        rules = self.rules
        if self.memories is None:
            first, second = divmod(action, rules.deals[1])
            return RandomState(rules, ((first,), (second,)), ((),))
        step = self.step
        memories = list(self.memories)
        mover = step.mover
        if rules.family == WANDERING:
            if mover == CHANCE and step.watcher != 2:
                own, size = step.watcher, rules.deals[step.watcher]
                memories[own] = ((memories[own][0] + action) % size,)
            elif mover != CHANCE:
                size = rules.deals[mover]
                memories[mover] = (
                    rules.draw(self.events, memories[mover], action).randrange(size),
                )
            # The public may see a part of the new position.
            place = memories[mover][0] % 2 if mover != CHANCE and step.watcher else 0
            event = mover, step.seen[action], place
            forgotten = self.forgotten if mover == CHANCE else (*self.forgotten, action)
            return RandomState(
                rules, (memories[0], memories[1]), (*self.events, event), (), forgotten
            )
        secret = self.secret
        if rules.family == REMEMBERING:
            if mover == CHANCE and step.watcher == 3:
                secret = (*secret, action)
            elif mover == CHANCE:
                for player in (0, 1) if step.watcher == 2 else (step.watcher,):
                    memories[player] = (*memories[player], action)
            else:
                memories[mover] = (*memories[mover], step.kept[action])
                if step.glimpse is not None:
                    memories[1 - mover] = (*memories[1 - mover], step.glimpse[action])
        return RandomState(
            rules,
            (memories[0], memories[1]),
            (*self.events, (mover, step.seen[action])),
            secret,
            (*self.forgotten, action) if mover != CHANCE else self.forgotten,
        )

    def payoff(self) -> float:
        facts = self.events, self.memories, self.secret
        payoff = self.rules.draw("payoff", *facts).uniform(-1.0, 1.0)
        digits = self.rules.payoff_digits
        return payoff if digits is None else round(payoff, digits)

    def public(self) -> tuple[tuple[int, ...], ...]:
        return self.events

    def private(self, player: int) -> Memory | None:
        return None if self.memories is None else self.memories[player]

    def label(self, action: int) -> str:
        return f"a{action}"

    def render(self, player: int | None = None) -> str:
        return f"{self.events} {self.private(player) if player in (0, 1) else self.memories}"


class RandomGame(Game):
    """One game of a family, drawn from a seed."""

    def __init__(
        self,
        family: str,
        seed: int,
        *,
        length: int = 3,
        deals: tuple[int, int] = (2, 2),
        actions: int = 3,
        payoff_digits: int | None = None,
    ) -> None:
        if family == OPEN:
            deals = (1, 1)
        self.rules = Rules(family, seed, length, deals, actions, payoff_digits)
        self.name = f"random-{family}-{seed}-{length}-{deals[0]}x{deals[1]}-{actions}"
        self.title = "A random game"

    def initial(self) -> RandomState:
        return RandomState(self.rules)

    def __repr__(self) -> str:
        return f"RandomGame{self.rules}"


def random_game(seed: int, family: str | None = None) -> RandomGame:
    """A game whose sizes, too, follow from the seed."""
    draw = Random(seed)
    family = family or draw.choice(FAMILIES)
    return RandomGame(
        family,
        seed,
        length=draw.randint(3, 5),
        deals=(draw.randint(1, 3), draw.randint(2, 3)),
        actions=draw.randint(2, 3),
    )


def random_games(*families: str) -> st.SearchStrategy[RandomGame]:
    """Random games of these families, or of all; those that remember hold most kinds of things."""
    return st.builds(
        RandomGame,
        st.sampled_from(families or (*FAMILIES, REMEMBERING)),
        st.integers(0, 10**6).map(lambda number: number * 7919 % 10**6),
        length=st.sampled_from((3, 4, 2)),
        deals=st.tuples(st.sampled_from((2, 3, 1)), st.sampled_from((2, 3, 1))),
        actions=st.integers(2, 3),
    )
