"""Learning: encodings, networks, replay, self-play and training."""
