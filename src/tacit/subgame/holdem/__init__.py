"""A blueprint of whole hold'em: betting tree, card buckets, sampled CFR."""
