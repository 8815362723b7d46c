"""Which infostates share regrets: card buckets and merged infostates."""
