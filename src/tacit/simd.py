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


def _address(context: Any, builder: Any, array: Any, kind: Any, index: Any, width: int) -> Any:
    """A pointer to `width` floats of the array from `index` on."""
    data = context.make_array(kind)(context, builder, array).data
    here = builder.gep(data, [index])
    return builder.bitcast(here, ir.VectorType(_float(kind.dtype), width).as_pointer())


def _access(builder: Any, address: Any, dtype: types.Float, vector: Any = None) -> Any:
    """Load from, or store to, an address that is aligned as its elements are."""
    if vector is None:
        read = builder.load(address)
        read.align = dtype.bitwidth // 8
        return read
    written = builder.store(vector, address)
    written.align = dtype.bitwidth // 8
    return None


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """The vector at `array[index : index + LANES]`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        return _access(
            builder, _address(context, builder, args[0], kind, args[1], LANES), kind.dtype
        )

    return Vector(array.dtype)(array, types.intp), generate


@intrinsic
def store(typing: Any, array: Any, index: Any, vector: Any) -> Any:
    """Write `vector` to `array[index : index + LANES]`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        address = _address(context, builder, args[0], kind, args[1], LANES)
        _access(builder, address, kind.dtype, args[2])
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), generate


def _arithmetic(name: str) -> Any:
    @intrinsic
    def work(typing: Any, left: Any, right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, name)(*args)

        return left(left, right), generate

    return work


def _spread(builder: Any, dtype: types.Float, factor: Any, width: int) -> Any:
    """A vector with `width` copies of a float."""
    empty = ir.Constant(ir.VectorType(_float(dtype), width), ir.Undefined)
    alone = builder.insert_element(empty, factor, ir.Constant(ir.IntType(32), 0))
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
    return builder.shuffle_vector(alone, alone, everywhere)


_add, _subtract = _arithmetic("fadd"), _arithmetic("fsub")


@overload(operator.add)
def _vector_add(left, right):
    if isinstance(left, Vector) and left == right:
        return lambda left, right: _add(left, right)
    return None


@overload(operator.sub)
def _vector_subtract(left, right):
    if isinstance(left, Vector) and left == right:
        return lambda left, right: _subtract(left, right)
    return None


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
                address = _address(context, builder, args[0], kind, place, ROWS)
                rows.append(_access(builder, address, kind.dtype))
            for number, column in enumerate(_turned(builder, rows)):
                place = builder.add(args[4], ir.Constant(index, number * LANES + half))
                address = _address(context, builder, args[3], to, place, ROWS)
                _access(builder, address, to.dtype, column)
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
        begins = context.make_array(first)(context, builder, args[3]).data
        scale = context.make_array(factors)(context, builder, args[4]).data
        for half in range(0, LANES, ROWS):
            rows = []
            for number in range(ROWS):
                place = builder.add(args[1], ir.Constant(index, number * LANES + half))
                address = _address(context, builder, args[0], kind, place, ROWS)
                rows.append(_access(builder, address, kind.dtype))
            for lane, column in enumerate(_turned(builder, rows)):
                where = ir.Constant(index, half + lane)
                begin = builder.load(builder.gep(begins, [where]))
                factor = builder.load(builder.gep(scale, [where]))
                every = _spread(builder, to.dtype, factor, ROWS)
                address = _address(context, builder, args[2], to, builder.add(begin, args[5]), ROWS)
                _access(builder, address, to.dtype, builder.fmul(column, every))
        return context.get_dummy_value()

    return types.void(source, types.intp, target, starts, scales, types.intp), generate
