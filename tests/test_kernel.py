"""Compiled kernels: where they are cached, and what happens if that is nowhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NOWHERE = """
from pathlib import Path
import tacit.kernel
tacit.kernel._parents = lambda: [Path("/dev/null/a"), Path("/proc/tacit")]

@tacit.kernel.kernel
def double(x):
    return 2 * x

@tacit.kernel.kernel
def triple(x):
    return 3 * x

print(double(4), triple(4), tacit.kernel.cache_folder("__main__"))
"""


def test_without_a_writable_folder_kernels_are_kept_in_a_temporary_one(tmp_path: Path) -> None:
    script = tmp_path / "nowhere.py"
    script.write_text(NOWHERE)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    eight, twelve, folder = done.stdout.split()
    assert (eight, twelve) == ("8", "12")
    assert done.stderr.count("no cache folder is writable") == 1
    assert not Path(folder).exists()


def test_the_next_folder_is_taken_if_one_cannot_be_written(tmp_path: Path) -> None:
    script = tmp_path / "next.py"
    places = f'[Path("/dev/null/a"), Path({str(tmp_path / "b")!r})]'
    script.write_text(NOWHERE.replace('[Path("/dev/null/a"), Path("/proc/tacit")]', places))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    folder = Path(done.stdout.split()[2])
    assert folder.parent == tmp_path / "b"
    assert list(folder.rglob("*.nbi"))
    assert not done.stderr
