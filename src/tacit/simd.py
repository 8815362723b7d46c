"""Sixteen floats at a time: a vector type for kernels whose loops a compiler cannot vectorise.

Inside a kernel `load(array, index)` reads the sixteen floats from `index` on into a vector, which
lives in registers; `+` and `-` work on vectors, `store(array, index, vector)` writes one back and
`gather` and `scatter` transpose blocks of eight rows. Indices are not checked.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

LANES = 16
ROWS = 8


class Vector(types.Type):
    """`LANES` floats of one type."""

    def __init__(self, dtype: types.Float) -> None:
        self.dtype = dtype
        super().__init__(name=f"Vector({dtype}, {LANES})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Vector) -> None:
        super().__init__(manager, kind, ir.VectorType(_float(kind.dtype), LANES))


def _float(dtype: types.Float) -> ir.Type:
    return ir.FloatType() if dtype.bitwidth == 32 else ir.DoubleType()


def _access(
    context: Any, builder: Any, array: Any, kind: Any, index: Any, width: int, vector: Any = None
) -> Any:
    """Load `width` floats of an array from `index` on, or store a vector there."""
    data = context.make_array(kind)(context, builder, array).data
    pointer = ir.VectorType(_float(kind.dtype), width).as_pointer()
    address = builder.bitcast(builder.gep(data, [index]), pointer)
    access = builder.load(address) if vector is None else builder.store(vector, address)
    access.align = kind.dtype.bitwidth // 8
    return access


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """The vector at `array[index : index + LANES]`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _access(context, builder, args[0], signature.args[0], args[1], LANES)

    return Vector(array.dtype)(array, types.intp), generate


@intrinsic
def store(typing: Any, array: Any, index: Any, vector: Any) -> Any:
    """Write `vector` to `array[index : index + LANES]`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _access(context, builder, args[0], signature.args[0], args[1], LANES, args[2])
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), generate


def _define(python_operator: Any, instruction: str) -> None:
    """Make an operator on vectors an instruction."""

    @intrinsic
    def work(typing: Any, left: Any, right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(*args)

        return left(left, right), generate

    @overload(python_operator)
    def choose(left, right):
        if isinstance(left, Vector) and left == right:
            return lambda left, right: work(left, right)
        return None


_define(operator.add, "fadd")
_define(operator.sub, "fsub")


def _turned(builder: Any, rows: list[Any]) -> list[Any]:
    """Transpose eight vectors of eight, in three rounds of shuffles."""
    kind = ir.VectorType(ir.IntType(32), ROWS)
    size = 1
    while size < ROWS:
        low = [(n & ~size) + (ROWS if n & size else 0) for n in range(ROWS)]
        high = [(n | size) + (ROWS if n & size else 0) for n in range(ROWS)]
        masks = [ir.Constant(kind, chosen) for chosen in (low, high)]
        after = list(rows)
        for n in range(ROWS):
            if not n & size:
                pair = rows[n], rows[n | size]
                after[n] = builder.shuffle_vector(*pair, masks[0])
                after[n | size] = builder.shuffle_vector(*pair, masks[1])
        rows = after
        size *= 2
    return rows


@intrinsic
def gather(typing: Any, source: Any, starts: Any, row: Any, target: Any, at: Any) -> Any:
    """Write `source[starts[l] + row + r]` to `target[at + r * LANES + l]`, r < ROWS."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, first, _, to, _ = signature.args
        index = ir.IntType(64)
        begins = context.make_array(first)(context, builder, args[1]).data
        for half in range(0, LANES, ROWS):
            rows = []
            for lane in range(ROWS):
                begin = builder.load(builder.gep(begins, [ir.Constant(index, half + lane)]))
                place = builder.add(begin, args[2])
                rows.append(_access(context, builder, args[0], kind, place, ROWS))
            for number, column in enumerate(_turned(builder, rows)):
                place = builder.add(args[4], ir.Constant(index, number * LANES + half))
                _access(context, builder, args[3], to, place, ROWS, column)
        return context.get_dummy_value()

    return types.void(source, starts, types.intp, target, types.intp), generate


@intrinsic
def scatter(
    typing: Any, source: Any, at: Any, target: Any, starts: Any, scales: Any, row: Any
) -> Any:
    """Write `scales[l] * source[at + r * LANES + l]` to `target[starts[l] + row + r]`, r < ROWS."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, _, to, first, factors, _ = signature.args
        index = ir.IntType(64)
        first_lane = ir.Constant(ir.VectorType(ir.IntType(32), ROWS), [0] * ROWS)
        begins = context.make_array(first)(context, builder, args[3]).data
        scale = context.make_array(factors)(context, builder, args[4]).data
        for half in range(0, LANES, ROWS):
            rows = []
            for number in range(ROWS):
                place = builder.add(args[1], ir.Constant(index, number * LANES + half))
                rows.append(_access(context, builder, args[0], kind, place, ROWS))
            for lane, column in enumerate(_turned(builder, rows)):
                where = ir.Constant(index, half + lane)
                begin = builder.load(builder.gep(begins, [where]))
                factor = builder.load(builder.gep(scale, [where]))
                one = builder.insert_element(column, factor, ir.Constant(ir.IntType(32), 0))
                scaled = builder.fmul(column, builder.shuffle_vector(one, one, first_lane))
                place = builder.add(begin, args[5])
                _access(context, builder, args[2], to, place, ROWS, scaled)
        return context.get_dummy_value()

    return types.void(source, types.intp, target, starts, scales, types.intp), generate
