"""Records of arrays: what a kernel reads is what Python has put in."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numba import njit

from tacit.array_record import ArrayRecord, Float64, Int8, Int32, Int64Rows


@dataclass(frozen=True, eq=False)
class Inner(ArrayRecord):
    signs: Int8
    rows: Int64Rows


@dataclass(frozen=True, eq=False)
class Outer(ArrayRecord):
    counts: Int32
    inner: Inner
    weights: Float64


@njit
def look(record):
    rows = record.inner.rows
    total = 0.0
    for n in range(len(record.counts)):
        total += record.counts[n] * record.weights[n] * record.inner.signs[n]
    return total, rows.shape[0], rows.shape[1], rows[1, 2], record.weights[1:].sum()


def make() -> Outer:
    inner = Inner(np.array([1, -1, 1], np.int8), np.arange(8, dtype=np.int64).reshape(2, 4))
    return Outer(np.array([1, 2, 3], np.int32), inner, np.array([0.5, 0.25, 2.0]))


def test_a_kernel_reads_every_field():
    assert look(make()) == (0.5 - 0.5 + 6.0, 2, 4, 6, 2.25)


def test_a_replaced_field_and_a_copy_from_another_process_have_tables_of_their_own():
    record = make()
    other = replace(record, weights=np.zeros(3))
    again = pickle.loads(pickle.dumps(other))
    assert look(other)[0] == look(again)[0] == 0
    assert len({record.address, other.address, again.address, again.inner.address}) == 4
    assert look(record)[0] == 6.0


def test_fields_are_made_contiguous():
    inner = Inner(np.ones(6, np.int8)[::2], np.arange(8, dtype=np.int64).reshape(4, 2).T)
    assert look(replace(make(), inner=inner))[1:4] == (2, 4, 5)


def test_a_field_of_another_type_is_refused():
    with pytest.raises(TypeError, match=r"Outer\.counts has 1 dimensions of int64, expected 1 of"):
        replace(make(), counts=np.array([1, 2, 3]))
    with pytest.raises(TypeError, match="expected 2 of int64"):
        Inner(np.zeros(1, np.int8), np.zeros(4, np.int64))
