"""Players of heads-up no-limit hold'em."""
