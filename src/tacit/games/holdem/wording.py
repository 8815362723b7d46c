"""Actions in words: as a person reads them, and as a person types them.

Amounts are what a player will have put in on the street, as players say them, not totals over the
hand.
"""

from __future__ import annotations

import re

from tacit.games.game import GameError
from tacit.games.holdem.betting import CALL, FOLD, Betting

_SIZE = re.compile(
    r"(?:(?:r|b|raise|bet)(?:\s*to)?)?\s*(\d[\d,]{0,11})(\.\d{1,9})?\s*(%?)", re.ASCII
)
_WORDS = {
    "f": "fold", "fold": "fold", "c": "call", "call": "call", "k": "call", "check": "call",
    "x": "call", "a": "all in", "all-in": "all in", "all in": "all in", "allin": "all in",
    "p": "pot", "pot": "pot", "h": "half", "half": "half", "m": "min", "min": "min",
}  # fmt: skip


def describe_action(betting: Betting, action: int) -> str:
    """An action as in ``fold``, ``call 50`` or ``raise to 300 (100 % of the pot)``."""
    if action == FOLD:
        return "fold"
    if action == CALL:
        return f"call {betting.to_call:,}" if betting.to_call else "check"
    level = max(betting.committed)
    share = 100 * (action - level) / (betting.pot + betting.to_call)
    what = "bet" if level == max(betting.before) else "raise to"
    all_in = ", all in" if action >= min(betting.rules.stacks) else ""
    return f"{what} {betting.to_street(action):,} ({share:.0f} % of the pot{all_in})"


def describe_options(betting: Betting) -> str:
    """What the mover may do, in one line: ``fold, call 50, raise to 200 to 20,000``."""
    words = ["fold", f"call {betting.to_call:,}"] if betting.can_fold else ["check"]
    bounds = betting.raise_bounds()
    if bounds is not None:
        least, most = (betting.to_street(total) for total in bounds)
        what = "raise to" if max(betting.committed) > max(betting.before) else "bet"
        words.append(
            f"{what} {least:,} to {most:,}" if least < most else f"{what} {most:,} (all in)"
        )
    return ", ".join(words)


def read_action(betting: Betting, text: str) -> int:
    """The action that a person types; GameError says what is possible.

    ``fold``, ``check``, ``call`` or their first letters; ``300`` or ``raise 300``: to 300 on this
    street; ``50%``, ``half`` or ``pot``: by that share of the pot; ``min``; ``all in`` or ``a``.
    """
    word = " ".join(text.lower().split())
    action = _read(betting, word)
    if action is None or not betting.legal(action):
        raise GameError(f"{text.strip()!r} is not possible; possible: {describe_options(betting)}")
    return action


def _read(betting: Betting, word: str) -> int | None:
    """The action of a word, legal or not; None if it is none."""
    bounds = betting.raise_bounds()
    match _WORDS.get(word):
        case "fold":
            return FOLD
        case "call":
            return None if word in ("k", "check", "x") and betting.to_call else CALL
        case None:
            pass
        case _ if bounds is None:
            return None
        case "all in":
            return bounds[1]
        case "min":
            return bounds[0]
        case name:
            return _by_share(betting, 1.0 if name == "pot" else 0.5)
    size = _SIZE.fullmatch(word)
    if size is None or bounds is None:
        return None
    amount = float(size[1].replace(",", "") + (size[2] or ""))
    if size[3]:
        return _by_share(betting, amount / 100)
    return betting.to_total(int(amount)) if amount.is_integer() and amount > 1 else None


def _by_share(betting: Betting, share: float) -> int:
    """A bet or raise by a share of the pot after calling, at most all in."""
    bounds = betting.raise_bounds()
    assert bounds is not None
    total = max(betting.committed) + round(share * (betting.pot + betting.to_call))
    return min(total, bounds[1])
