"""The slow, obvious version of everything the rooms `tree` and `solve` compute.

It reads a game's rules alone: every history is enumerated, probabilities are multiplied along it,
and what a player knows is looked up in dictionaries. Nothing here comes from the public tree.

An infostate is a key (player, public, private). A policy is a dictionary from infostate to
{action: probability}. Infostates that forget (merge) have several *ways* in: the player's own
infostates and moves that lead there. Two conventions follow, and they are those of the engine:

- an infostate's reach is the sum over its ways of the reach that flows in;
- its counterfactual value is that of one way (all ways must agree, or the merge is not exact).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tacit.games import CHANCE, TERMINAL, Game, State
from tacit.solvers import FictitiousPlay, Minimiser, RegretMatching

Infostate = tuple[int, Hashable, Hashable]
Policy = dict[Infostate, dict[int, float]]
Way = tuple[tuple[Infostate, int | None], ...]

AGREE = 1e-9
"""How much the counterfactual values of the ways into one infostate may differ."""
TIE = 1e-12
"""Differences below this are rounding: which of the actions is best is then a matter of taste."""


@dataclass
class History:
    """A world state with what has led to it; `chance` is the probability of chance's moves."""

    state: State
    chance: float
    infostates: tuple[Infostate, Infostate]
    ways: tuple[Way, Way] = ((), ())
    children: dict[int, int] = field(default_factory=dict)


class Reference:
    """A whole game as a list of histories, parents before children."""

    def __init__(self, game: Game, *, limit: int = 200_000) -> None:
        self.game = game
        self.histories: list[History] = []
        self.limit = limit
        self._add(game.initial(), 1.0)
        self._find_ways()
        self.groups: dict[Infostate, dict[Way, list[int]]] = {}
        """Histories by infostate and way, in the order in which they were found."""
        for number, history in enumerate(self.histories):
            for infostate, way in zip(history.infostates, history.ways, strict=True):
                self.groups.setdefault(infostate, {}).setdefault(way, []).append(number)

    def _add(self, state: State, chance: float) -> int:
        number = len(self.histories)
        if number >= self.limit:
            raise ValueError(f"{self.game.name} has more than {self.limit} histories")
        public = state.public()
        infostates = (0, public, state.private(0)), (1, public, state.private(1))
        history = History(state, chance, infostates)
        self.histories.append(history)
        weights = state.chance() if state.player == CHANCE else [1.0] * len(state.actions())
        for action, weight in zip(state.actions(), weights, strict=True):
            history.children[action] = self._add(state.child(action), chance * weight)
        return number

    def _find_ways(self) -> None:
        """Each player's infostates and own moves on the way, but for states that only wait."""
        for history in self.histories:
            mover = history.state.player
            waits = mover == CHANCE and history.state.public() in self._waiting
            for action, child in history.children.items():
                self.histories[child].ways = (
                    history.ways
                    if waits
                    else tuple(  # type: ignore[assignment]
                        (*history.ways[p], (history.infostates[p], action if mover == p else None))
                        for p in (0, 1)
                    )
                )

    @cached_property
    def decisions(self) -> dict[Infostate, tuple[int, ...]]:
        """The infostates of players who are to move, and their actions in order."""
        found: dict[Infostate, tuple[int, ...]] = {}
        for history in self.histories:
            mover = history.state.player
            if mover < CHANCE:
                actions = tuple(sorted(history.state.actions()))
                known = found.setdefault(history.infostates[mover], actions)
                assert known == actions, "two states that the mover cannot tell apart differ"
        return found

    @cached_property
    def payoff_range(self) -> float:
        """The largest payoff less the smallest."""
        payoffs = [h.state.payoff() for h in self.histories if h.state.player == TERMINAL]
        return max(payoffs) - min(payoffs)

    def uniform(self) -> Policy:
        """Every legal action alike."""
        return {i: dict.fromkeys(a, 1 / len(a)) for i, a in self.decisions.items()}

    def random_policy(self, random: np.random.Generator, *, zeros: float = 0.2) -> Policy:
        """A policy drawn at random, with some actions never taken."""
        policy: Policy = {}
        for infostate, actions in self.decisions.items():
            weights = random.exponential(size=len(actions)) * (random.random(len(actions)) > zeros)
            if weights.sum() == 0:
                weights[random.integers(len(actions))] = 1.0
            weights /= weights.sum()
            policy[infostate] = dict(zip(actions, weights.tolist(), strict=True))
        return policy

    # Probabilities

    def own_probabilities(self, policy: Policy, player: int) -> list[float]:
        """For each history, the probability of `player`'s own moves."""
        found = [1.0] * len(self.histories)
        for number, history in enumerate(self.histories):
            chosen = policy[history.infostates[player]] if history.state.player == player else None
            for action, child in history.children.items():
                found[child] = found[number] * (1.0 if chosen is None else chosen[action])
        return found

    def reaches(self, policy: Policy, player: int) -> dict[Infostate, float]:
        """For each infostate of `player` the sum over ways in of the reach that flows in."""
        found: dict[Infostate, float] = {}

        def reach(infostate: Infostate) -> float:
            if infostate not in found:
                # Ways that differ only in what came before share their last step.
                steps = dict.fromkeys(way[-1] if way else None for way in self.groups[infostate])
                found[infostate] = sum(1.0 if step is None else flow(*step) for step in steps)
            return found[infostate]

        def flow(before: Infostate, action: int | None) -> float:
            return reach(before) * (1.0 if action is None else policy[before][action])

        return {infostate: reach(infostate) for infostate in self.groups if infostate[0] == player}

    @cached_property
    def _compatibility(self) -> dict[Hashable, dict[tuple[Hashable, Hashable], float]]:
        found: dict[Hashable, dict[tuple[Hashable, Hashable], dict[object, float]]] = {}
        for history in self.histories:
            (_, public, first), (_, _, second) = history.infostates
            if history.state.player == CHANCE and public in self._waiting:
                continue
            ways = found.setdefault(public, {}).setdefault((first, second), {})
            ways[history.ways] = ways.get(history.ways, 0.0) + history.chance
        for cells in found.values():
            for ways in cells.values():
                assert max(ways.values()) - min(ways.values()) < AGREE
        return {
            public: {cell: next(iter(ways.values())) for cell, ways in cells.items()}
            for public, cells in found.items()
        }

    @cached_property
    def _waiting(self) -> set[Hashable]:
        """The public states at which chance is to move and the public will see nothing of it."""
        seen: dict[Hashable, set[Hashable]] = {}
        for history in self.histories:
            if history.state.player == CHANCE:
                seen.setdefault(history.state.public(), set()).update(
                    self.histories[child].state.public() for child in history.children.values()
                )
        return {public for public, after in seen.items() if len(after) == 1}

    def compatibility(self, public: Hashable) -> dict[tuple[Hashable, Hashable], float]:
        """How likely chance alone makes each pair of infostates at a public state, by one way."""
        return self._compatibility[public]

    # Values

    def history_values(self, policy: Policy) -> list[float]:
        """For each history, what player 0 gets on average from there on."""
        found = [0.0] * len(self.histories)
        for number in reversed(range(len(self.histories))):
            history = self.histories[number]
            state, children = history.state, history.children
            if state.player == TERMINAL:
                found[number] = state.payoff()
            elif state.player == CHANCE:
                found[number] = sum(
                    chance * found[children[action]]
                    for action, chance in zip(state.actions(), state.chance(), strict=True)
                )
            else:
                chosen = policy[history.infostates[state.player]]
                found[number] = sum(chosen[a] * found[child] for a, child in children.items())
        return found

    def value(self, policy: Policy) -> float:
        """What player 0 gets on average."""
        return self.history_values(policy)[0]

    def cfvs(
        self, player: int, opponent: list[float], values: list[float]
    ) -> dict[Infostate, float]:
        """Counterfactual values of `player`'s infostates; `values`: of histories to it."""
        return {i: self._cfv(i, opponent, values) for i in self.groups if i[0] == player}

    def action_cfvs(
        self, infostate: Infostate, opponent: list[float], values: list[float]
    ) -> dict[int, float]:
        """Counterfactual values of the actions at `infostate`; `values`: of histories."""
        return {
            action: self._cfv(infostate, opponent, values, action)
            for action in self.decisions[infostate]
        }

    def _cfv(
        self,
        infostate: Infostate,
        opponent: list[float],
        values: list[float],
        action: int | None = None,
    ) -> float:
        found = []
        for histories in self.groups[infostate].values():
            total = 0.0
            for number in histories:
                history = self.histories[number]
                at = number if action is None else history.children[action]
                total += history.chance * opponent[number] * values[at]
            found.append(total)
        assert max(found) - min(found) < AGREE, f"the ways into {infostate} are worth different"
        return found[0]

    def best_response(
        self, policy: Policy, player: int, within: float = 0.0
    ) -> tuple[dict[Infostate, dict[int, float]], list[float]]:
        """The best response of `player`: its choices and each history's value to it then.

        Actions not farther from the best than `within` times the largest value are played as well.

        By recursion over information: an infostate's best action needs the values of the histories
        in it, which need the best actions of the infostates below them.
        """
        opponent = self.own_probabilities(policy, 1 - player)
        sign = 1.0 if player == 0 else -1.0
        values: dict[int, float] = {}
        chosen: dict[Infostate, dict[int, float]] = {}

        def worth(number: int) -> float:
            if number not in values:
                history = self.histories[number]
                state, children = history.state, history.children
                if state.player == TERMINAL:
                    values[number] = sign * state.payoff()
                elif state.player == CHANCE:
                    values[number] = sum(
                        chance * worth(children[action])
                        for action, chance in zip(state.actions(), state.chance(), strict=True)
                    )
                elif state.player == player:
                    answer = choose(history.infostates[player])
                    values[number] = sum(p * worth(children[a]) for a, p in answer.items() if p)
                else:
                    mixed = policy[history.infostates[state.player]]
                    values[number] = sum(mixed[a] * worth(c) for a, c in children.items())
            return values[number]

        def choose(infostate: Infostate) -> dict[int, float]:
            if infostate not in chosen:
                histories = next(iter(self.groups[infostate].values()))
                totals = {
                    action: sum(
                        self.histories[n].chance
                        * opponent[n]
                        * worth(self.histories[n].children[action])
                        for n in histories
                    )
                    for action in self.decisions[infostate]
                }
                best = max(totals, key=totals.__getitem__)
                least = totals[best] - within * max(abs(total) for total in totals.values())
                shares = {action: max(0.0, total - least) for action, total in totals.items()}
                if sum(shares.values()) == 0:
                    shares[best] = 1.0
                chosen[infostate] = normalised({infostate: shares})[infostate]
            return chosen[infostate]

        everything = [worth(number) for number in range(len(self.histories))]
        return chosen, everything

    def best_response_value(self, policy: Policy, player: int) -> float:
        """What `player` gets at best against `policy`."""
        return self.best_response(policy, player)[1][0]

    def exploitability(self, policy: Policy) -> float:
        """NashConv / 2."""
        return (self.best_response_value(policy, 0) + self.best_response_value(policy, 1)) / 2


def normalised(sums: Mapping[Infostate, Mapping[int, float]]) -> Policy:
    """Sums made into a policy; uniform where they are zero."""
    found: Policy = {}
    for infostate, weights in sums.items():
        total = sum(weights.values())
        found[infostate] = {
            a: w / total if total > 0 else 1 / len(weights) for a, w in weights.items()
        }
    return found


class ReferenceSolver:
    """Textbook regret matching and fictitious play, an iteration at a time."""

    def __init__(self, reference: Reference, minimiser: Minimiser) -> None:
        self.reference = reference
        self.minimiser = minimiser
        self.iteration = 0
        self.policy = reference.uniform()
        self.mixture = reference.uniform()
        self.regrets = {i: dict.fromkeys(a, 0.0) for i, a in reference.decisions.items()}
        self.sums = {i: dict.fromkeys(a, 0.0) for i, a in reference.decisions.items()}
        self.undecided: set[Infostate] = set()
        """Infostates whose latest policy hangs on rounding: a tie, or regrets that are zero."""

    def average_policy(self) -> Policy:
        return normalised(self.sums)

    def run(self, iterations: int = 1) -> None:
        for _ in range(iterations):
            self.iteration += 1
            self.undecided.clear()
            if isinstance(self.minimiser, RegretMatching):
                self._match_regrets(self.minimiser)
            else:
                self._play_fictitiously(self.minimiser, None)

    def run_fictitiously(self, responses: Policy) -> None:
        """One iteration in which ties between best responses are broken as in `responses`."""
        assert isinstance(self.minimiser, FictitiousPlay)
        self.iteration += 1
        self._play_fictitiously(self.minimiser, responses)

    def _match_regrets(self, minimiser: RegretMatching) -> None:
        """Player 0 first; a policy is added to the average as the opponent meets it."""
        before = {i: dict(p) for i, p in self.policy.items()}
        self._average(1, self.policy)
        if minimiser.alternating:
            self._update(0, self.policy)
            self._average(0, self.policy)
            self._update(1, self.policy)
        else:
            self._average(0, self.policy)
            self._update(0, before)
            self._update(1, before)

    def _average(self, player: int, policy: Policy) -> None:
        weight = self.minimiser.weight(self.iteration)
        for infostate, reach in self.reference.reaches(policy, player).items():
            for action, chosen in policy.get(infostate, {}).items():
                self.sums[infostate][action] += weight * reach * chosen

    def _update(self, player: int, profile: Policy) -> None:
        """Player's regrets against `profile`, and the policy that follows from them."""
        reference, minimiser = self.reference, self.minimiser
        assert isinstance(minimiser, RegretMatching)
        step = minimiser.step(self.iteration)
        sign = 1.0 if player == 0 else -1.0
        opponent = reference.own_probabilities(profile, 1 - player)
        values = [sign * value for value in reference.history_values(profile)]
        for infostate, actions in reference.decisions.items():
            if infostate[0] != player:
                continue
            worth = reference.action_cfvs(infostate, opponent, values)
            mean = sum(profile[infostate][a] * worth[a] for a in actions)
            weights = {}
            for action in actions:
                gain = worth[action] - mean
                regret = self.regrets[infostate][action]
                regret *= step.positive if regret > 0 else step.negative
                regret = max(regret + gain, step.floor)
                self.regrets[infostate][action] = regret
                weights[action] = max(regret + step.prediction * gain, 0.0)
            if 0 < max(weights.values()) < TIE or max(weights.values()) == 0:
                self.undecided.add(infostate)
            self.policy[infostate] = normalised({infostate: weights})[infostate]

    def _play_fictitiously(self, minimiser: FictitiousPlay, responses: Policy | None) -> None:
        if minimiser.alternating:
            self._respond(0, self.mixture, responses)
            self._mix(0)
            self._respond(1, self.mixture, responses)
            self._mix(1)
        else:
            self._respond(0, self.mixture, responses)
            self._respond(1, self.mixture, responses)
            self._mix(0)
            self._mix(1)

    def _respond(self, player: int, mixture: Policy, responses: Policy | None) -> None:
        assert isinstance(self.minimiser, FictitiousPlay)
        within = self.minimiser.within(self.iteration)
        chosen, values = self.reference.best_response(mixture, player, within)
        opponent = self.reference.own_probabilities(mixture, 1 - player)
        for infostate, answer in chosen.items():
            if responses is not None:
                worth = self.reference.action_cfvs(infostate, opponent, values)
                given = responses[infostate]
                if within == 0:
                    best = max(worth.values())
                    taken = sum(worth[a] * p for a, p in given.items())
                    assert sorted(given.values())[-1] == 1.0
                    assert best - taken < TIE, f"{infostate}: {taken} is not the best, {best}"
                else:
                    # Rounding weighs the more the less there is between the actions.
                    near = TIE / max(within * max(map(abs, worth.values())), TIE)
                    assert all(abs(given[a] - p) <= near for a, p in answer.items())
                answer = dict(given)
            self.policy[infostate] = answer

    def _mix(self, player: int) -> None:
        minimiser = self.minimiser
        assert isinstance(minimiser, FictitiousPlay)
        self._average(player, self.policy)
        again = minimiser.weight(self.iteration) if minimiser.optimistic else 0.0
        for infostate, reach in self.reference.reaches(self.policy, player).items():
            if infostate in self.sums:
                mixed = {
                    action: total + again * reach * self.policy[infostate][action]
                    for action, total in self.sums[infostate].items()
                }
                self.mixture[infostate] = normalised({infostate: mixed})[infostate]
