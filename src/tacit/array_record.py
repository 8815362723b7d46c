"""Records of arrays that a kernel takes as one pointer.

Numba passes a tuple of arrays field by field, some hundreds of values at every call of a kernel,
and compiling that is most of the time to compile a small kernel. An `ArrayRecord` is a table of
addresses and shapes; inside a kernel `record.field` is an array read from the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cache
from typing import Annotated, Any, ClassVar, Self, get_args, get_origin, get_type_hints

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np import numpy_support
from numba.np.arrayobj import populate_array
from numpy.typing import NDArray

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Float32 = NDArray[np.float32]
Int16 = NDArray[np.int16]
UInt16 = NDArray[np.uint16]
Real = NDArray[Any]
RealRows = Annotated[NDArray[Any], 2]
Float64Rows = Annotated[NDArray[np.float64], 2]
Int32Rows = Annotated[NDArray[np.int32], 2]
Int64Rows = Annotated[NDArray[np.int64], 2]
"""What a field may be: an array of one dimension or, for rows, of two; or another record. The
numbers of `Real` are of the type `real` of the record's class, so that one definition serves two
precisions."""

LEAST_ROOM = 64
"""The least capacity, in entries, of an array that is extended."""


class ArrayRecord:
    """Base of frozen dataclasses whose fields are arrays, of the types above, or such records."""

    real: ClassVar[Any] = np.float64
    address: int
    """The address of the table: data and shape of each array, the table of each record."""
    _numba_type_: ClassVar[Any]
    _table: NDArray[np.int64]
    _whole: dict[str, NDArray[Any]]
    """The storage of arrays that have been extended, which may be longer than they are."""

    def __post_init__(self) -> None:
        rows: list[int] = []
        for name, (_, kind) in table_fields(type(self)).items():
            value = getattr(self, name)
            if isinstance(kind, RecordType):
                rows.append(value.address)
                continue
            array, dtype = np.ascontiguousarray(value), numpy_support.as_dtype(kind.dtype)
            if array.dtype != dtype or array.ndim != kind.ndim:
                raise TypeError(
                    f"{type(self).__name__}.{name} has {array.ndim} dimensions of {array.dtype}, "
                    f"expected {kind.ndim} of {dtype}"
                )
            object.__setattr__(self, name, array)
            rows += [array.__array_interface__["data"][0], *array.shape]
        table = np.array(rows, dtype=np.int64)
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "address", table.__array_interface__["data"][0])
        object.__setattr__(self, "_whole", {})
        type(self)._numba_type_ = record_type(type(self))  # Numba's dispatch is fastest with it

    @classmethod
    def empty(cls, **given: Any) -> Self:
        """A record of empty arrays ([2, 0] for rows), but for the fields that are given."""
        arrays = {
            name: np.zeros((0,) if kind.ndim == 1 else (2, 0), numpy_support.as_dtype(kind.dtype))
            for name, (_, kind) in table_fields(cls).items()
            if name not in given
        }
        return cls(**arrays, **given)

    def extend(self, names: Sequence[str], length: int) -> None:
        """Extend these arrays in place; new entries are zero, old ones keep their values.

        Storage at least doubles when it runs out, so that a growing record copies each entry a
        bounded number of times. Rows grow along their last axis; kernels see their spare columns.
        """
        whole, table, places = self._whole, self._table, table_fields(type(self))
        for name in names:
            place, kind = places[name]
            full = whole.get(name)
            if full is None or full.shape[-1] < length:
                old = getattr(self, name)
                room = max(length, 2 * old.shape[-1], LEAST_ROOM)
                full = np.zeros((*old.shape[:-1], room), dtype=old.dtype)
                full[..., : old.shape[-1]] = old
                whole[name] = full
                table[place] = full.ctypes.data
                table[place + kind.ndim] = room
            if kind.ndim == 1:
                table[place + 1] = length
            object.__setattr__(self, name, full[..., :length])

    def __reduce__(self) -> Any:
        """Pickle the fields only: another process, or a copy, makes its own table."""
        return type(self), tuple(getattr(self, name) for name in table_fields(type(self)))


def _table_fields(record: Any) -> dict[str, tuple[int, Any]]:
    """For each field of a class of records its position in the table, and its Numba type."""
    places: dict[str, tuple[int, Any]] = {}
    at = 0
    hints = get_type_hints(record, include_extras=True)
    for name in (field.name for field in fields(record)):
        hint, dimensions = hints[name], 1
        if isinstance(hint, type) and issubclass(hint, ArrayRecord):
            places[name] = at, record_type(hint)
            at += 1
            continue
        if get_origin(hint) is Annotated:
            hint, dimensions = get_args(hint)
        dtype = get_args(get_args(hint)[1])[0]
        dtype = np.dtype(record.real if dtype is Any else dtype)
        places[name] = at, types.Array(numpy_support.from_dtype(dtype), dimensions, "C")
        at += 1 + dimensions
    return places


table_fields: Callable[[Any], dict[str, tuple[int, Any]]] = cache(_table_fields)


class RecordType(types.Type):
    """The Numba type of one class of records."""

    def __init__(self, record: type[ArrayRecord]) -> None:
        self.record: Any = record
        super().__init__(name=f"ArrayRecord({record.__module__}.{record.__qualname__})")


@register_model(RecordType)
class _RecordModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: RecordType) -> None:
        super().__init__(manager, kind, ir.IntType(64).as_pointer())


@typeof_impl.register(ArrayRecord)
def _type_of(record: Any, context: Any) -> RecordType:
    return record_type(type(record))


record_type: Callable[[Any], RecordType] = cache(RecordType)
"""The one type of a class of records."""


@unbox(RecordType)  # type: ignore[untyped-decorator]
def _unbox(kind: RecordType, record: Any, context: Any) -> NativeValue:
    number = context.pyapi.object_getattr_string(record, "address")
    address = context.pyapi.long_as_longlong(number)
    context.pyapi.decref(number)
    pointer = context.builder.inttoptr(address, ir.IntType(64).as_pointer())
    return NativeValue(
        pointer, is_error=cgutils.is_not_null(context.builder, context.pyapi.err_occurred())
    )


@infer_getattr
class _RecordAttribute(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, kind: RecordType, name: str) -> Any:  # type: ignore[override]
        return table_fields(kind.record).get(name, (0, None))[1]


@lower_getattr_generic(RecordType)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, kind: RecordType, table: Any, name: str) -> Any:
    number = ir.IntType(64)
    at, field = table_fields(kind.record)[name]

    def entry(offset: int) -> Any:
        read = builder.load(builder.gep(table, [ir.Constant(number, at + offset)]))
        # Tables change between calls of kernels only, so a loop need not read them again.
        read.set_metadata("invariant.load", builder.module.add_metadata([]))
        return read

    if isinstance(field, RecordType):
        return builder.inttoptr(entry(0), number.as_pointer())
    array = context.make_array(field)(context, builder)
    shape = [entry(1 + axis) for axis in range(field.ndim)]
    size = context.get_constant(types.intp, numpy_support.as_dtype(field.dtype).itemsize)
    strides = [size]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    data = builder.inttoptr(entry(0), context.get_data_type(field.dtype).as_pointer())
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()
