"""Hold'em: cards, hands, ranges, betting and spots."""
