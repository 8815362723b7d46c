"""The public tree: public states and beliefs, the arrays, the two passes, building and growing."""

from tacit.games import CHANCE, TERMINAL
from tacit.tree.arrays import LEAF, PLAYERS, TreeArrays
from tacit.tree.builder import Builder, Size, StopRule, readable_bytes
from tacit.tree.derived import DerivedState, DerivedStates
from tacit.tree.layout import Place
from tacit.tree.memory import SolveKind, SolveMemory
from tacit.tree.open import OpenState
from tacit.tree.public_state import (
    ActionSet,
    Expansion,
    GameTooLargeError,
    PublicState,
    Transition,
)
from tacit.tree.public_tree import PublicTree, build_forest, build_tree

__all__ = [
    "CHANCE",
    "LEAF",
    "PLAYERS",
    "TERMINAL",
    "ActionSet",
    "Builder",
    "DerivedState",
    "DerivedStates",
    "Expansion",
    "GameTooLargeError",
    "OpenState",
    "Place",
    "PublicState",
    "PublicTree",
    "Size",
    "SolveKind",
    "SolveMemory",
    "StopRule",
    "Transition",
    "TreeArrays",
    "build_forest",
    "build_tree",
    "readable_bytes",
]
