"""`tacit train holdem-turn`: a small run, resumed, with a picture."""

from __future__ import annotations

from pathlib import Path

from support.commands import call, fails

SMALL = (
    "--set=epochs=4", "--set=games=1", "--set=searches=1", "--set=positions=2",
    "--set=target.iterations=3", "--set=late_searches=1",
    "--set=iterations=4", "--set=hidden=8", "--set=bets=1", "--set=raises=1", "--set=steps=3",
    "--set=last_steps=3", "--set=batch=4",
)  # fmt: skip


def test_a_run_is_trained_resumed_and_drawn(tmp_path: Path) -> None:
    folder, plot = tmp_path / "run", tmp_path / "error.png"
    words = ("train", "holdem-turn", f"--out={folder}")
    code, text, errors = call(*words, *SMALL, "--seed=3", "--workers=0", f"--plot={plot}")
    assert code == 0
    assert "epoch 4/4" in errors
    assert "examples in 4 epochs" in text
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert (folder / "network.npz").is_file()
    code, text, _ = call(*words, "--resume", "--workers=0")
    assert (code, "in 4 epochs" in text) == (0, True)
    assert "holds a run already" in fails(*words)
    assert "begun with seed=3, not 4" in fails(*words, "--resume", "--seed=4")
    assert "games must be at least 1" in fails(*words, "--set=games=0")
    assert "did you mean 'holdem-turn'?" in fails("train", "holdem-trn")


def test_runs_of_streets_refuse_what_they_do_not_know(tmp_path: Path) -> None:
    out = ("--out", tmp_path / "run")
    assert "chunks" in fails("train", "holdem-flop", *out, "--set", "chunk=3")
    assert "--time" in fails("train", "holdem-preflop", *out, "--time", 5)
    assert not (tmp_path / "run").exists()
