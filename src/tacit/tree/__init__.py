"""The public tree: public states and beliefs, the arrays, the two passes, building and growing."""

from tacit.tree.arrays import CHANCE, LEAF, PLAYERS, TERMINAL, TreeArrays
from tacit.tree.builder import Builder, Size, StopRule, readable_bytes
from tacit.tree.public_state import GameTooLargeError, PublicState, PublicStateSpace
from tacit.tree.public_tree import Place, PublicTree, build_forest, build_tree

__all__ = [
    "CHANCE",
    "LEAF",
    "PLAYERS",
    "TERMINAL",
    "Builder",
    "GameTooLargeError",
    "Place",
    "PublicState",
    "PublicStateSpace",
    "PublicTree",
    "Size",
    "StopRule",
    "TreeArrays",
    "build_forest",
    "build_tree",
    "readable_bytes",
]
