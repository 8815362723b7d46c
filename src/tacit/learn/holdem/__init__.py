"""Learning what hold'em's public belief states are worth."""
