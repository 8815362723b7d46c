"""A position of Go as arrays; here, so that rules are known before anything is compiled.

`cells` uint8 [3, P + 1] with P points in rows from the top: row `STONES` has `EMPTY`, `BLACK` or
`WHITE` at each point and `EDGE` at place P, which stands for every point outside the board; row
`LIBERTIES` has at each stone the number of liberties of its group; row `LEGAL` starts with the
points where the player to move may play, in ascending order, and has their number at place P.

`hashes` uint64 [n] has the Zobrist hash of every position of the game that differs from the one
before it, the current one last.
"""

from __future__ import annotations

EMPTY, BLACK, WHITE, EDGE = range(4)
STONES, LIBERTIES, LEGAL = range(3)
PLANES = 12
"""Number of planes that a network sees."""
