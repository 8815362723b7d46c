"""Games on boards, with nothing hidden."""
