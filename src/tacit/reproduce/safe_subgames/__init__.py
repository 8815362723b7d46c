"""Safe and nested subgame solving: its tables beside ours."""
