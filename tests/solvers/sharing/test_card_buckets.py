"""Card buckets: cached, symmetric, ordered, and the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.archive import write_arrays
from tacit.games import GameError
from tacit.games.holdem.betting import FLOP, PREFLOP, TURN
from tacit.games.holdem.board_classes import board_classes, hand_classes
from tacit.games.holdem.cards import HAND_CLASS, live_hands, parse_board, parse_hand
from tacit.games.holdem.spot import Suits, permute_card, permute_hands
from tacit.solvers.sharing.card_buckets import (
    BucketSettings,
    CardBuckets,
    _load,
    bucket_folder,
    card_buckets,
    compute_street,
)

SETTINGS = BucketSettings(counts=(12,), last_street=FLOP, seed=3)
BOARD = parse_board("Ah7h2d")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("buckets")


@pytest.fixture(scope="module")
def buckets(folder: Path) -> CardBuckets:
    return card_buckets(SETTINGS, folder=folder)


def test_all_live_hands_have_a_bucket_and_all_buckets_have_hands(buckets: CardBuckets) -> None:
    table = buckets.tables[FLOP]
    live = np.stack([live_hands(board) for board in board_classes(3).boards.tolist()])
    assert np.array_equal(table >= 0, live)
    assert np.array_equal(np.unique(table), np.arange(-1, 12))
    assert buckets.count(FLOP) == 12


def test_buckets_do_not_know_the_names_of_suits(buckets: CardBuckets) -> None:
    suits: Suits = (2, 0, 3, 1)
    moved = tuple(permute_card(suits, card) for card in BOARD)
    assert np.array_equal(buckets.of(BOARD), buckets.of(moved)[permute_hands(suits)])
    same = hand_classes(BOARD)
    live = live_hands(BOARD)
    row = buckets.of(BOARD)
    assert np.array_equal(row[live], row[same][live])


def test_stronger_hands_are_in_higher_buckets(buckets: CardBuckets) -> None:
    row = buckets.of(BOARD)
    best, good, poor = (row[parse_hand(hand)] for hand in ("AsAd", "7s6s", "4c3c"))
    assert best > good > poor


def test_before_the_flop_every_kind_of_hand_is_its_own_bucket(buckets: CardBuckets) -> None:
    assert np.array_equal(buckets.of(()), HAND_CLASS)
    assert buckets.count(PREFLOP) == 169


def test_the_cache_is_read_again(buckets: CardBuckets, folder: Path) -> None:
    stages: list[str] = []
    again = card_buckets(SETTINGS, folder=folder, on_stage=lambda stage, _: stages.append(stage))
    assert not stages
    assert np.array_equal(again.tables[FLOP], buckets.tables[FLOP])
    assert [path.name for path in folder.iterdir()] == [SETTINGS.file_name(FLOP)]


def test_a_damaged_cache_is_reported_and_written_anew(buckets: CardBuckets, tmp_path: Path) -> None:
    path = tmp_path / SETTINGS.file_name(FLOP)
    write_arrays(path, {"table": buckets.tables[FLOP]})
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.warns(RuntimeWarning, match="cannot be read as buckets.*computing them again"):
        found = card_buckets(SETTINGS, folder=tmp_path)
    assert np.array_equal(found.tables[FLOP], buckets.tables[FLOP])
    assert np.array_equal(
        card_buckets(SETTINGS, folder=tmp_path).tables[FLOP], buckets.tables[FLOP]
    )


def test_a_cache_of_something_else_is_reported(buckets: CardBuckets, tmp_path: Path) -> None:
    path = tmp_path / SETTINGS.file_name(FLOP)
    told: list[str] = []
    for wrong in (buckets.tables[FLOP][:5], buckets.tables[FLOP] + 1):
        write_arrays(path, {"table": wrong})
        assert _load(path, SETTINGS, FLOP, told.append) is None
    assert "shape (5, 1326)" in told[0]
    assert "buckets 0 to 12" in told[1]


def test_the_same_seed_gives_the_same_buckets(buckets: CardBuckets) -> None:
    shares: list[tuple[str, float]] = []
    again = compute_street(SETTINGS, FLOP, on_stage=lambda *stage: shares.append(stage))
    assert np.array_equal(again, buckets.tables[FLOP])
    assert len({name for name, _ in shares}) == 3
    assert shares[-1][1] == 1.0


def test_settings_name_their_files_apart() -> None:
    names = {
        BucketSettings(counts=counts, last_street=last, seed=seed).file_name(FLOP)
        for counts, last, seed in (((9,), 1, 0), ((8,), 1, 0), ((9,), 1, 1), ((9, 9), 2, 0))
    }
    assert len(names) == 4


def test_bad_settings_and_boards_are_refused(buckets: CardBuckets) -> None:
    with pytest.raises(GameError, match="expected 2 numbers above 0"):
        BucketSettings(counts=(5,), last_street=TURN)
    with pytest.raises(GameError, match="expected 1 numbers above 0"):
        BucketSettings(counts=(0,), last_street=FLOP)
    with pytest.raises(GameError, match="cannot be the last"):
        BucketSettings(counts=(), last_street=PREFLOP)
    with pytest.raises(GameError, match="no buckets for boards of 4 cards"):
        buckets.of(parse_board("Ah7h2d3c"))


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert bucket_folder() == tmp_path / "tacit" / "buckets"
