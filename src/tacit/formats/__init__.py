"""File formats and other programs, one module each."""
