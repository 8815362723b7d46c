"""Where the command `tacit` starts: an interrupt is one line even while the program loads."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from tacit import cli

        cli.main()
    except KeyboardInterrupt:
        print("tacit: error: interrupted", file=sys.stderr)
        sys.exit(130)
