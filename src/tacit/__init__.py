"""tacit: learn, search, solve, play and explain games with hidden information."""

__version__ = "0.1.0"
