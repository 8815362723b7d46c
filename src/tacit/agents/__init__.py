"""What chooses a move: solved policies, and search with a value network."""
