"""Fuzzing: mutated valid inputs for every reader; only one kind of exception may come out."""
