"""The betting of a street, walked once, against the betting itself."""

from __future__ import annotations

import pytest

from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.betting import replay
from tacit.games.holdem.spot import Spot, action_label
from tacit.tree import LEAF
from tacit.tree.builder import Limit, before_chance
from tacit.tree.cards.betting_template import Entry, StreetTemplate, walk_street
from tacit.tree.cards.states import CardState

NO_LIMIT, STREET = Limit(), Limit(stop=before_chance)
SPOT = Spot.of("2c7dJh", ranges=("QQ+", "JJ+"), pot=100, behind=500, bets="75%,a/a")


START = CardState.of(SPOT)


def walk(limit: Limit = NO_LIMIT) -> StreetTemplate:
    return walk_street(START, [Entry(SPOT.rules.start(), "", limit, root=True)])


def test_nodes_are_the_betting_after_their_histories() -> None:
    template = walk()
    assert len(template) == len(set(template.history)) == len(template.betting)
    for node, (betting, history) in enumerate(zip(template.betting, template.history, strict=True)):
        assert betting == replay(SPOT.rules, history)
        assert template.player[node] == betting.player
        acts = SPOT.actions(betting, history) if betting.player < CHANCE else ()
        assert template.labels[node] == tuple(action_label(betting, action) for action in acts)
        assert template.moves[node] == len(acts)
        parent = int(template.parent[node])
        if parent >= 0:
            label = template.labels[parent][template.move[node]]
            assert parent < node
            assert template.history[parent] + label == history


def test_ends_pay_what_the_winner_wins() -> None:
    template = walk()
    for node in range(len(template)):
        betting = template.betting[node]
        if betting.player != TERMINAL:
            assert template.scale[node] == 0
        else:
            assert template.fold[node] == (betting.folded is not None)
            assert template.scale[node] == betting.payoffs()[0]


def test_the_next_street_is_entered_where_cards_are_due() -> None:
    template = walk()
    assert [template.player[node] for node in template.deals] == [CHANCE] * len(template.deals)
    assert len(template.following) == len(template.deals)
    for node, entry in zip(template.deals, template.following, strict=True):
        assert entry.history == template.history[node] + "/"
        assert entry.betting == template.betting[node].deal()
    below = walk_street(START, template.following)
    assert [below.history[node] for node in below.entries] == [
        entry.history for entry in template.following
    ]
    assert (below.parent[below.entries] == -1).all()


@pytest.mark.parametrize("left", [1, 2])
def test_a_depth_makes_leaves_after_so_many_moves(left: int) -> None:
    template = walk(Limit(left))
    labels = {
        history for p, history in zip(template.player, template.history, strict=True) if p == LEAF
    }
    assert labels
    assert all(sum(letter in "kcfr" for letter in history) == left for history in labels)


def test_a_street_ends_in_leaves_and_a_root_is_none() -> None:
    template = walk(STREET)
    assert len(template.deals) == 0
    assert {
        b.player for b, p in zip(template.betting, template.player, strict=True) if p == LEAF
    } == {CHANCE}
    root = Entry(replay(SPOT.rules, "kk"), "kk", STREET, root=True)
    assert walk_street(START, [root]).player.tolist() == [CHANCE]
