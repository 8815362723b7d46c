"""Pictures: what their axes say."""

from __future__ import annotations

from pathlib import Path

from tacit.report.plot import picture, save


def test_logarithmic_axes_have_plain_numbers(tmp_path: Path) -> None:
    figure, axes = picture()
    axes.plot([20, 3000], [1e-3, 0.2])
    axes.set(xscale="log", yscale="log")
    save(figure, tmp_path / "picture.png")
    across = [label.get_text() for label in axes.get_xticklabels()]
    up = [label.get_text() for label in axes.get_yticklabels()]
    assert {"50", "100", "1,000"} <= set(across)
    assert {"0.001", "0.1"} <= set(up)
    assert "$" not in "".join(across + up)
