"""OpenSpiel's games keep their meaning here: values, best responses and infostates agree."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Hashable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.formats.openspiel import (
    Lookup,
    OpenSpielGame,
    OpenSpielState,
    from_openspiel,
    load_openspiel,
    to_openspiel,
)
from tacit.games import CHANCE, TERMINAL, GameError, State

pyspiel: Any = pytest.importorskip("pyspiel")

GOOFSPIEL = "goofspiel(players=2,num_cards=3,imp_info=True,points_order=descending)"
BATTLESHIP = (
    "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[1],num_shots=2,"
    "allow_repeated_shots=False)"
)
GAMES = (
    "kuhn_poker",
    "leduc_poker(suit_isomorphism=True)",
    "liars_dice(numdice=1,dice_sides=3)",
    "liars_dice(numdice=2,dice_sides=2)",
    "dark_hex(board_size=2)",
    f"turn_based_simultaneous_game(game={GOOFSPIEL})",
    BATTLESHIP,
    "coordinated_mp",
    "zerosum(game=first_sealed_auction(max_value=3))",
    "nim(pile_sizes=1;2)",
)

HIDDEN_COIN = """EFG 2 R "a coin that nobody sees" { "A" "B" } ""
c "" 1 "" { "h" 3/4 "t" 1/4 } 0
p "" 1 1 "" { "l" "r" } 0
p "" 2 1 "" { "L" "R" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { -2 2 }
p "" 2 1 "" { "L" "R" } 0
t "" 3 "" { -1 1 }
t "" 4 "" { 3 -3 }
p "" 1 1 "" { "l" "r" } 0
p "" 2 1 "" { "L" "R" } 0
t "" 5 "" { -5 5 }
t "" 6 "" { 1 -1 }
p "" 2 1 "" { "L" "R" } 0
t "" 7 "" { 2 -2 }
t "" 8 "" { 0 0 }
"""
UNSEEN_DELAY = """EFG 2 R "one unseen move or two" { "A" "B" } ""
p "" 1 1 "" { "once" "twice" } 0
p "" 2 1 "" { "L" "R" } 0
t "" 1 "" { 3 0 }
t "" 2 "" { 1 2 }
p "" 1 2 "" { "x" "y" } 0
p "" 2 1 "" { "L" "R" } 0
t "" 3 "" { 0 3 }
t "" 4 "" { 5 -2 }
p "" 2 1 "" { "L" "R" } 0
t "" 5 "" { 3 0 }
t "" 6 "" { 2 1 }
"""
NO_CLOCK = """EFG 2 R "who came first" { "A" "B" } ""
c "" 1 "" { "a" 1/2 "b" 1/2 } 0
p "" 1 1 "" { "l" "r" } 0
p "" 2 1 "" { "L" "R" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { -1 1 }
p "" 2 1 "" { "L" "R" } 0
t "" 3 "" { 1 -1 }
t "" 4 "" { -1 1 }
p "" 2 1 "" { "L" "R" } 0
p "" 1 1 "" { "l" "r" } 0
t "" 5 "" { 1 -1 }
t "" 6 "" { -1 1 }
p "" 1 1 "" { "l" "r" } 0
t "" 7 "" { 1 -1 }
t "" 8 "" { -1 1 }
"""


def gambit(folder: Path, text: str) -> str:
    path = folder / "game.efg"
    path.write_text(text)
    return f"efg_game(filename={path})"


@cache
def loaded(name: str) -> OpenSpielGame:
    return load_openspiel(name)


def states_of(game: OpenSpielGame) -> list[OpenSpielState]:
    found = [game.initial()]
    for state in found:
        found.extend(state.child(action) for action in state.actions())
    return found


def infostate(state: State, player: int) -> tuple[Hashable, Hashable]:
    return state.public(), state.private(player)


def moves(state: State, lookup: Lookup) -> list[tuple[State, float]]:
    """The children of `state` with their probabilities when both follow `lookup`."""
    if state.player == CHANCE:
        weights = dict(zip(state.actions(), state.chance(), strict=True))
    else:
        weights = dict(lookup(*infostate(state, state.player), state.player))
        assert set(weights) == set(state.actions())
    return [(state.child(action), weight) for action, weight in weights.items()]


def expected_value(state: State, lookup: Lookup) -> float:
    if state.player == TERMINAL:
        return state.payoff()
    return sum(weight * expected_value(child, lookup) for child, weight in moves(state, lookup))


def best_response_value(game: OpenSpielGame, lookup: Lookup, player: int) -> float:
    members: dict[Hashable, list[tuple[State, float]]] = defaultdict(list)

    def collect(state: State, reach: float) -> None:
        if state.player == player:
            members[infostate(state, player)].append((state, reach))
            for action in state.actions():
                collect(state.child(action), reach)
        elif state.player != TERMINAL:
            for child, weight in moves(state, lookup):
                collect(child, reach * weight)

    @cache
    def choice(key: Hashable) -> int:
        def worth(action: int) -> float:
            return sum(reach * value(state.child(action)) for state, reach in members[key])

        return max(members[key][0][0].actions(), key=worth)

    @cache
    def value(state: State) -> float:
        if state.player == TERMINAL:
            return state.payoff() * (1 - 2 * player)
        if state.player == player:
            return value(state.child(choice(infostate(state, player))))
        return sum(weight * value(child) for child, weight in moves(state, lookup))

    collect(game.initial(), 1.0)
    return value(game.initial())


def random_policy(game: OpenSpielGame, seed: int) -> Any:
    from open_spiel.python.policy import TabularPolicy

    return TabularPolicy(game.spiel).copy_with_noise(
        alpha=0.9, beta=2.0, random_state=np.random.RandomState(seed)
    )


@pytest.mark.parametrize("name", [*GAMES, "leduc_poker", "liars_dice(numdice=1,dice_sides=4)"])
def test_random_policies_are_worth_what_openspiel_says(name: str) -> None:
    from open_spiel.python.algorithms import expected_game_score, exploitability

    game = loaded(name)
    policy = random_policy(game, seed=1)
    lookup = from_openspiel(game, policy)
    theirs = expected_game_score.policy_value(game.spiel.new_initial_state(), [policy, policy])
    assert expected_value(game.initial(), lookup) == pytest.approx(theirs[0], abs=1e-9)
    nash_conv = sum(best_response_value(game, lookup, player) for player in (0, 1))
    assert nash_conv == pytest.approx(exploitability.nash_conv(game.spiel, policy), abs=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_policies_go_both_ways(name: str) -> None:
    game = loaded(name)
    policy = random_policy(game, seed=2)
    again = to_openspiel(game, from_openspiel(game, policy))
    assert again.state_lookup.keys() == policy.state_lookup.keys()
    for key in policy.state_lookup:
        np.testing.assert_allclose(again.policy_for_key(key), policy.policy_for_key(key))


@pytest.mark.parametrize("name", GAMES)
def test_public_states_and_infostates_keep_the_contract(name: str) -> None:
    check_contract(loaded(name))


def check_contract(game: OpenSpielGame) -> None:
    states = states_of(game)
    assert len(set(states)) == len(states)
    for state in states:
        labels = [state.label(action) for action in state.actions()]
        assert len(set(labels)) == len(labels)
        assert not any(set(label) & set(" \n\t") for label in labels)
        if state.player == CHANCE:
            assert sum(state.chance()) == pytest.approx(1.0)
    assert_function(states, lambda s: s.public(), lambda s: s.player)
    deciding = [s for s in states if s.player < CHANCE]
    assert_function(deciding, lambda s: (infostate(s, s.player), s.player), lambda s: s.actions())
    moved = [(s, action, s.child(action)) for s in states for action in s.actions()]
    assert_function(moved, lambda m: m[2].public(), lambda m: m[0].public())
    for player in (0, 1):
        views = [
            (infostate(s, player), action, infostate(after, player)) for s, action, after in moved
        ]
        assert_function(views, lambda view: view[2], lambda view: view[0])
        own = [view for view, m in zip(views, moved, strict=True) if m[0].player == player]
        assert_function(own, lambda view: view[2], lambda view: view[1])


def assert_function(
    items: list[Any], key: Callable[[Any], Hashable], value: Callable[[Any], Hashable]
) -> None:
    """What `value` gives depends only on what `key` gives."""
    pairs = {(key(item), value(item)) for item in items}
    assert len(pairs) == len({left for left, _ in pairs})


@pytest.mark.parametrize("name", GAMES)
def test_infostates_are_the_information_states(name: str) -> None:
    states = [s for s in states_of(loaded(name)) if s.player < CHANCE]
    told = {(s.player, s.spiel().information_state_string(s.player)) for s in states}
    ours = {(s.player, infostate(s, s.player)) for s in states}
    both = {
        (s.player, s.spiel().information_state_string(s.player), infostate(s, s.player))
        for s in states
    }
    assert len(told) == len(ours) == len(both) == sum(1 for _ in loaded(name).decisions())


@pytest.mark.parametrize("name", GAMES)
def test_playouts_replay_and_pay_as_in_openspiel(name: str) -> None:
    game = loaded(name)
    random = np.random.default_rng(3)
    for _ in range(20):
        state, notation = game.playout(random)
        assert game.replay(notation) == state
        assert isinstance(state, OpenSpielState)
        spiel = state.spiel()
        assert spiel.is_terminal()
        assert spiel.returns() == [state.payoff(), -state.payoff()]
        assert state.render() == str(spiel)


def test_public_states_are_those_of_the_rules() -> None:
    """In Kuhn poker and Liar's Dice all moves are public; only the deal is not."""
    kuhn = {s.public() for s in states_of(loaded("kuhn_poker"))}
    assert len(kuhn) == 2 + 9  # two cards to deal, then p, b, pp, pb, pbp, pbb, bp, bb and none
    game = loaded("liars_dice(numdice=1,dice_sides=3)")
    bids = {s.public() for s in states_of(game) if s.player < CHANCE}
    assert len(bids) == 2**6  # every rising sequence of bids


def test_a_player_sees_the_own_card_only() -> None:
    state = loaded("kuhn_poker").replay("Deal:0 Deal:2 Bet")
    assert state.render(0) == "0b"
    assert state.render(1) == "2b"
    assert state.render() == "0 2 b"
    assert "history=[0, 2, 1]" in repr(state)


def test_nothing_is_private_in_a_game_without_hidden_information() -> None:
    states = states_of(loaded("nim(pile_sizes=1;2)"))
    assert len({s.public() for s in states}) == len(states)
    assert {s.private(0) for s in states} | {s.private(1) for s in states} == {""}


def test_those_who_are_ahead_of_the_clock_wait(tmp_path: Path) -> None:
    game = load_openspiel(gambit(tmp_path, UNSEEN_DELAY))
    check_contract(game)
    state = game.replay("once wait L")
    assert state.player == TERMINAL
    assert game.replay("once").public() == game.replay("twice").public()
    assert game.replay("once").private(1) == game.replay("twice").private(1)
    policy = random_policy(game, seed=4)
    lookup = from_openspiel(game, policy)
    again = to_openspiel(game, lookup)
    np.testing.assert_allclose(again.action_probability_array, policy.action_probability_array)


def test_constant_sums_are_shifted_to_zero(tmp_path: Path) -> None:
    game = load_openspiel(gambit(tmp_path, UNSEEN_DELAY))
    assert game.replay("once wait L").payoff() == 1.5
    assert game.replay("twice x R").payoff() == 3.5


def test_chance_that_nobody_sees(tmp_path: Path) -> None:
    from open_spiel.python.algorithms import exploitability

    game = load_openspiel(gambit(tmp_path, HIDDEN_COIN))
    check_contract(game)
    policy = random_policy(game, seed=5)
    lookup = from_openspiel(game, policy)
    nash_conv = sum(best_response_value(game, lookup, player) for player in (0, 1))
    assert nash_conv == pytest.approx(exploitability.nash_conv(game.spiel, policy), abs=1e-9)


def test_states_can_be_sent_to_other_processes() -> None:
    state = loaded("kuhn_poker").replay("Deal:0 Deal:2 Bet")
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert hash(again) == hash(state)
    assert again.child(0).payoff() == 1.0


def test_games_written_in_python() -> None:
    assert sum(1 for _ in load_openspiel("python_kuhn_poker").decisions()) == 12


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kuhn_pokr", "OpenSpiel has no game 'kuhn_pokr'; did you mean 'kuhn_poker'?"),
        ("misere(game=leduc())", "OpenSpiel has no game 'leduc'; did you mean 'leduc_poker'?"),
        ("%", "OpenSpiel has no game '%'"),
        ("kuhn_poker(cards=4)", "OpenSpiel cannot load 'kuhn_poker(cards=4)': Unknown parameter"),
        ("nfg_game", "OpenSpiel cannot load 'nfg_game'"),
        ("matrix_rps", "try 'openspiel:turn_based_simultaneous_game(game=matrix_rps())'"),
        ("goofspiel(players=2)", "turn_based_simultaneous_game(game=goofspiel(players=2))'"),
        ("kuhn_poker(players=3)", "must have two players to be loaded; it has 3"),
        ("blackjack", "must have two players to be loaded; it has 1"),
        ("bargaining", "openspiel:bargaining is not zero-sum"),
        ("zerosum(game=negotiation())", "samples its chance"),
        ("dark_chess", "no information states"),
        (
            "chess",
            "openspiel:chess is too large: more than 10^18 histories; the limit is 2,000,000",
        ),
        ("liars_dice_ir(dice_sides=3)", "imperfect recall: player 1 later forgets something"),
        ("start_at(game=kuhn_poker(),history=0;1;0;0)", "is over before its first move"),
        ("start_at(game=kuhn_poker(),history=7)", "OpenSpiel cannot load 'start_at("),
        ("restricted_nash_response(game=kuhn_poker())", "hides whose turn it is"),
    ],
)
def test_refusals_say_why_in_one_line(
    name: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(GameError) as error:
        load_openspiel(name)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert capfd.readouterr() == ("", "")


def test_the_limit_can_be_set() -> None:
    with pytest.raises(GameError, match=r"more than 57 histories; the limit is 57$"):
        load_openspiel("kuhn_poker", max_histories=57)
    load_openspiel("kuhn_poker", max_histories=58)


def test_information_states_without_a_common_clock_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="no common clock"):
        load_openspiel(gambit(tmp_path, NO_CLOCK))


def test_a_policy_that_openspiel_cannot_name_is_refused() -> None:
    game = load_openspiel("pig(winscore=3,horizon=6,piglet=True,diceoutcomes=2)")
    with pytest.raises(GameError, match="cannot tell them apart"):
        to_openspiel(game, lambda public, private, player: {0: 1.0})


def test_openspiel_is_imported_only_when_needed() -> None:
    code = "import sys, tacit.formats.openspiel; sys.exit('pyspiel' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_openspiel_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(GameError, match=r"pip install 'tacit\[openspiel\]'"):
        load_openspiel("kuhn_poker")
