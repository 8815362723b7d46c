"""Action choosers, and what nested solving asks of them."""

from __future__ import annotations

from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.spot import Spot
from tacit.subgame.action_choice import (
    BaseChooser,
    FixedChooser,
    chosen_actions,
    settings_of,
    with_chosen_bets,
)
from tacit.tree.cards.builder import build_spot

SPOT = Spot.of(
    "2c7dJhQsKs",
    ranges=("AA,KQs,T9s", "QQ,AJs"),
    pot=100,
    behind=900,
    big_blind=2,
    bets="30%,50%,100%,200%,a",
)


def test_the_base_is_half_a_pot_a_pot_two_pots_and_all_in():
    bets = BaseChooser().choose(SPOT)
    assert bets.raises(SPOT.rules.start()) == (100, 150, 250, 950)


def test_fixed_sizes_do_not_depend_on_the_spot():
    bets = BetSettings.parse("33%/a")
    assert FixedChooser(bets).choose(SPOT) is bets
    assert with_chosen_bets(SPOT, FixedChooser(bets)).bets is bets


def test_chosen_actions_restrict_a_finer_tree():
    tree = build_spot(SPOT)
    keep = chosen_actions(FixedChooser(settings_of((0.5,))), SPOT)
    root = tree.state(tree.roots[0].node)
    kept = [label for label in tree.labels(tree.roots[0].node) if keep(root, label)]
    assert kept == ["k", "r100", "r950"]
    assert not tree.restricted(keep).arrays.legal.all()
