"""`tacit equity` and `tacit range`."""

from __future__ import annotations

import json

import pytest

from support.commands import call, fails


def equity(*words):
    code, out, errors = call("equity", *words, "--json")
    assert (code, errors) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # Known from tables and from PokerKit's and others' enumeration.
        ("AA", "KK", 0.81946),
        ("AhAs", "KhKs", 0.82637),
        ("AhKh", "QcQd", 0.46214),
        ("AKs", "QQ", 0.46049),
    ],
)
def test_known_equities_before_the_flop(first, second, expected):
    found = equity(first, second)
    one, two = found["players"]
    assert found["exact"]
    assert one["equity"] == pytest.approx(expected, abs=1e-5)
    assert one["equity"] + two["equity"] == pytest.approx(1)
    assert one["win"] + one["tie"] + one["lose"] == pytest.approx(1)
    assert one["win"] == pytest.approx(two["lose"])


def test_a_flop_is_dealt_to_the_end():
    found = equity("AhKh", "QcQd", "--board", "Th9h2c")
    assert found["boards"] == 1176
    # 45 cards are left: 990 runouts.
    assert found["players"][0]["equity"] * 990 == pytest.approx(
        round(found["players"][0]["equity"] * 990 * 2) / 2
    )


def test_samples_state_their_error_and_repeat():
    words = ("22+,A2s+", "KTo+,QQ", "--samples", "2000", "--seed", "3")
    one, two = equity(*words), equity(*words)
    assert one == two
    assert not one["exact"]
    assert 0 < one["standard_error"] < 0.01
    assert equity(*words[:-1], "4") != one
    assert "random boards (seed 3); equity ±" in call("equity", *words)[1]


def test_hands_and_classes():
    found = equity("AA,AhKh", "QQ", "--board", "2c3d4h5sTc", "--hands")
    hands = found["players"][0]["hands"]
    assert set(hands) == {"AsAh", "AsAd", "AsAc", "AhAd", "AhAc", "AdAc", "AhKh"}
    assert all(share == 1 for share in hands.values())
    _, out, _ = call("equity", "AA,AhKh", "QQ", "--board", "2c3d4h5sTc", "--hands")
    assert "First range" in out
    assert "AKs" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("AhAh", "KK"), "Ah is there twice"),
        (("AhKs", "AhQs"), "cannot meet"),
        (("AA", "KK", "--board", "KsKdKcKh"), "the second range holds no hand"),
        (("AA", "KK", "--board", "2c3d"), "has 2 cards; a board has 0, 3, 4 or 5"),
        (("AA", "KK", "--board", "2c2c3d"), "2c is there twice"),
        (("AA", "K"), "'K' at column 1"),
    ],
)
def test_bad_input_is_one_line(words, message):
    assert message in fails("equity", *words)


def test_a_range_is_counted_drawn_and_written_compactly():
    code, out, _ = call("range", "AA,KK,QQ,AKs,AQs,76s,65s,54s")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "QQ+,AQs+,76s-54s"
    assert lines[1] == "38 of 1,326 hands, 2.9 %"
    assert "AA ####" in lines[3]
    code, out, _ = call("range", "AA:0.5,KK", "--board", "AhKs2d", "--json")
    found = json.loads(out)
    assert found["range"] == "AA:0.5,KK"
    assert found["classes"] == {"AA": 1.5, "KK": 3.0}
    assert found["hands"]["AsAd"] == 0.5
    assert found["combos"] == 4.5
    assert found["share"] == pytest.approx(4.5 / 1176)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("77+,foo",), "'foo' at column 5"),
        (("",), "is empty"),
        (("AA", "--board", "AhAsAc"), "no hand that is possible"),
        (("AA", "--board", "Ax"), "'Ax' is not a card"),
    ],
)
def test_a_bad_range_is_one_line(words, message):
    assert message in fails("range", *words)
