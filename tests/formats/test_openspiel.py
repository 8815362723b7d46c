"""OpenSpiel's games keep their meaning here: values, best responses and infostates agree."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Hashable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import tacit
from tacit import cli
from tacit.evaluation.search_play import played_policy
from tacit.formats.openspiel import (
    OpenSpielGame,
    OpenSpielState,
    load_openspiel,
    policy_from_openspiel,
    policy_to_openspiel,
)
from tacit.games import CHANCE, TERMINAL, GameError, State, load_game
from tacit.solvers import Limits, Solution, evaluate, exploitability, solve_exactly, solve_tree
from tacit.tree import PublicTree, build_forest, build_tree

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


@cache
def tree_of(name: str) -> PublicTree:
    return build_tree(loaded(name))


def states_of(game: OpenSpielGame) -> list[OpenSpielState]:
    found = [game.initial()]
    for state in found:
        found.extend(state.child(action) for action in state.actions())
    return found


def infostate(state: State, player: int) -> tuple[Hashable, Hashable]:
    return state.public(), state.private(player)


def random_policy(tree: PublicTree, seed: int) -> Any:
    from open_spiel.python.policy import TabularPolicy

    assert isinstance(tree.game, OpenSpielGame)
    return TabularPolicy(tree.game.spiel).copy_with_noise(
        alpha=0.9, beta=2.0, random_state=np.random.RandomState(seed)
    )


def assert_worth(tree: PublicTree, ours: Any, theirs: Any, *, shift: float = 0.0) -> None:
    """OpenSpiel and the tree agree on a policy's value, best responses and NashConv."""
    from open_spiel.python.algorithms import exploitability as spiel
    from open_spiel.python.policy import python_policy_to_pyspiel_policy

    assert isinstance(tree.game, OpenSpielGame)
    game = tree.game.spiel
    told = spiel.nash_conv(game, theirs, return_only_nash_conv=False, use_cpp_br=True)
    policy = python_policy_to_pyspiel_policy(theirs)
    value = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)[0]
    worth = evaluate(tree, ours)
    assert worth.value == pytest.approx(value - shift, abs=1e-9)
    gains = worth.best_response[0] - worth.value, worth.best_response[1] + worth.value
    assert gains == pytest.approx(told.player_improvements, abs=1e-9)
    assert worth.exploitability == pytest.approx(told.nash_conv / 2, abs=1e-9)


@pytest.mark.parametrize(
    "name",
    [
        *GAMES,
        "leduc_poker",
        "liars_dice(numdice=1,dice_sides=4)",
        f"turn_based_simultaneous_game(game={GOOFSPIEL.replace('cards=3', 'cards=4')})",
        "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=2)",
        pytest.param("liars_dice", marks=pytest.mark.slow),
        pytest.param("start_at(game=phantom_ttt(),history=0;1;2;4;3;5)", marks=pytest.mark.slow),
    ],
)
def test_random_policies_are_worth_what_openspiel_says(name: str) -> None:
    tree = tree_of(name)
    for seed in (1, 2):
        policy = random_policy(tree, seed)
        assert_worth(tree, policy_from_openspiel(tree, policy), policy)


@pytest.mark.parametrize("name", GAMES)
def test_policies_go_both_ways(name: str) -> None:
    tree = tree_of(name)
    policy = random_policy(tree, seed=3)
    flat = policy_from_openspiel(tree, policy)
    again = policy_to_openspiel(tree, flat)
    assert again.state_lookup.keys() == policy.state_lookup.keys()
    for key in policy.state_lookup:
        np.testing.assert_allclose(again.policy_for_key(key), policy.policy_for_key(key))
    np.testing.assert_allclose(policy_from_openspiel(tree, again), flat, atol=1e-15)


@pytest.mark.parametrize("name", [*GAMES, "leduc_poker"])
def test_solved_policies_are_as_good_in_openspiel(name: str) -> None:
    solution = solve_tree(tree_of(name), Limits(target=1e-3))
    assert_worth(
        solution.tree, solution.policy, policy_to_openspiel(solution.tree, solution.policy)
    )


def test_policies_that_openspiel_solved_are_as_good_here() -> None:
    tree = tree_of("leduc_poker")
    solver = pyspiel.CFRPlusSolver(loaded("leduc_poker").spiel)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    theirs = solver.average_policy()
    ours = exploitability(tree, policy_from_openspiel(tree, theirs))
    assert ours == pytest.approx(
        pyspiel.exploitability(loaded("leduc_poker").spiel, theirs), abs=1e-9
    )


@pytest.mark.parametrize(
    ("built_in", "name"),
    [
        ("kuhn", "kuhn_poker"),
        ("leduc", "leduc_poker"),
        ("leduc", "leduc_poker(suit_isomorphism=True)"),
        ("liars-dice-1x3", "liars_dice(numdice=1,dice_sides=3)"),
        ("liars-dice-1x4", "liars_dice(numdice=1,dice_sides=4)"),
        ("liars-dice-1x5", "liars_dice(numdice=1,dice_sides=5)"),
        ("liars-dice-2x2", "liars_dice(numdice=2,dice_sides=2)"),
    ],
)
def test_built_in_games_have_the_values_of_openspiels(built_in: str, name: str) -> None:
    ours = build_tree(load_game(built_in))
    exact = solve_exactly(ours).value
    assert exact == pytest.approx(solve_exactly(tree_of(name)).value, abs=1e-9)
    uniform, theirs = ours.uniform_policy(), tree_of(name).uniform_policy()
    assert exploitability(ours, uniform) == pytest.approx(
        exploitability(tree_of(name), theirs), abs=1e-9
    )


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
    assert len(told) == len(ours) == len(both)


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
    tree = build_tree(game)
    policy = random_policy(tree, seed=4)
    flat = policy_from_openspiel(tree, policy)
    assert_worth(tree, flat, policy, shift=1.5)
    again = policy_to_openspiel(tree, flat)
    for key in policy.state_lookup:
        np.testing.assert_allclose(again.policy_for_key(key), policy.policy_for_key(key))


def test_constant_sums_are_shifted_to_zero(tmp_path: Path) -> None:
    game = load_openspiel(gambit(tmp_path, UNSEEN_DELAY))
    assert game.replay("once wait L").payoff() == 1.5
    assert game.replay("twice x R").payoff() == 3.5


def test_chance_that_nobody_sees(tmp_path: Path) -> None:
    game = load_openspiel(gambit(tmp_path, HIDDEN_COIN))
    check_contract(game)
    tree = build_tree(game)
    policy = random_policy(tree, seed=5)
    assert_worth(tree, policy_from_openspiel(tree, policy), policy)
    exact = solve_exactly(tree)
    # Averaged over the coin, r is better than l whatever follows, and its worst answer is L.
    assert exact.value == pytest.approx(0.75 * -1 + 0.25 * 2, abs=1e-9)
    assert_worth(tree, exact.policy, policy_to_openspiel(tree, exact.policy))


def test_states_can_be_sent_to_other_processes() -> None:
    state = loaded("kuhn_poker").replay("Deal:0 Deal:2 Bet")
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert hash(again) == hash(state)
    assert again.child(0).payoff() == 1.0


def test_games_written_in_python() -> None:
    tree = build_tree(load_openspiel("python_kuhn_poker"))
    assert solve_exactly(tree).value == pytest.approx(-1 / 18, abs=1e-9)


def test_games_are_found_solved_saved_and_exported_by_name(tmp_path: Path) -> None:
    assert tacit.load_game("openspiel:kuhn_poker") == loaded("kuhn_poker")
    solution = tacit.solve("openspiel:kuhn_poker", target=1e-5)
    assert solution.policy_at("Bet", "2b") == pytest.approx({"Pass": 0.0, "Bet": 1.0}, abs=1e-3)
    tacit.save(solution, tmp_path / "kuhn.npz")
    again = tacit.load(tmp_path / "kuhn.npz")
    assert isinstance(again, Solution)
    assert_worth(again.tree, again.policy, policy_to_openspiel(again.tree, again.policy))


@pytest.mark.slow
def test_what_a_trained_run_plays_is_worth_the_same_in_openspiel(tmp_path: Path) -> None:
    small = {"table_size": 32, "iterations": 32, "play_iterations": 32, "evaluate_every": 0}
    run = tacit.train("openspiel:leduc_poker", epochs=4, out=tmp_path / "run", settings=small)
    tree, policy = played_policy(run, playthroughs=8, seed=1, workers=0)
    assert_worth(tree, policy, policy_to_openspiel(tree, policy))
    worth = tacit.evaluate(run, playthroughs=8, seed=1)
    assert worth == evaluate(tree, policy)
    assert worth.exploitability < 0.5 * exploitability(tree, tree.uniform_policy())


def test_the_command_line_takes_openspiels_games(tmp_path: Path) -> None:
    def run(*words: str, typed: str = "") -> str:
        result = CliRunner().invoke(cli.tacit, words, input=typed)
        assert result.exit_code == 0, result.output
        return result.stdout

    file = str(tmp_path / "kuhn.npz")
    solved = json.loads(run("solve", "openspiel:kuhn_poker", "--out", file, "--json"))
    assert solved["value"] == pytest.approx(-1 / 18, abs=1e-4)
    assert json.loads(run("exploitability", file, "--json"))["exploitability"] < 1e-4
    assert "2b" in run("show", file, typed="Bet\nquit\n")


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
    tree = build_tree(load_openspiel("pig(winscore=3,horizon=6,piglet=True,diceoutcomes=2)"))
    with pytest.raises(GameError, match="cannot tell them apart"):
        policy_to_openspiel(tree, tree.uniform_policy())


def test_a_policy_that_is_none_is_refused() -> None:
    tree = tree_of("kuhn_poker")
    policy = random_policy(tree, seed=6)
    policy.policy_for_key("2b")[:] = 0.25, 0.25
    with pytest.raises(GameError, match=r"gives \[0.25, 0.25\] to the actions \[0, 1\] at '2b'"):
        policy_from_openspiel(tree, policy)


def test_policies_of_other_games_and_parts_are_refused() -> None:
    kuhn = build_tree(load_game("kuhn"))
    with pytest.raises(GameError, match="kuhn is not a game of OpenSpiel"):
        policy_to_openspiel(kuhn, kuhn.uniform_policy())
    with pytest.raises(GameError, match="kuhn is not a game of OpenSpiel"):
        policy_from_openspiel(kuhn, None)
    part = build_tree(loaded("kuhn_poker"), depth=1)
    with pytest.raises(ValueError, match="a whole tree with one root"):
        policy_to_openspiel(part, part.uniform_policy())
    with pytest.raises(ValueError, match=r"shape \(3,\), expected \(24,\)"):
        policy_to_openspiel(tree_of("kuhn_poker"), np.ones(3))


def test_a_policy_comes_into_every_root_of_a_forest() -> None:
    tree = tree_of("kuhn_poker")
    policy = random_policy(tree, seed=7)
    forest = build_forest(tree.builder, [tree.builder.root] * 2)
    copies = policy_from_openspiel(forest, policy)
    assert exploitability(forest, copies) == pytest.approx(
        exploitability(tree, policy_from_openspiel(tree, policy))
    )


def test_openspiel_is_imported_only_when_needed() -> None:
    code = "import sys, tacit.formats.openspiel; sys.exit('pyspiel' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_openspiel_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(GameError, match=r"pip install 'tacit\[openspiel\]'"):
        load_openspiel("kuhn_poker")
