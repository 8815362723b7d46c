"""Hold'em on the public tree: public states of live hands, their kernels and their layout."""
