"""Records of arrays that a kernel takes as one pointer.

Numba hands a tuple of arrays over field by field, some hundreds of values at every call of every
kernel, and compiling that is most of the work of compiling small kernels. An `ArrayRecord` is a
table of addresses and shapes; inside a kernel `record.field` is an array that is read from there.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

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
Int32Rows = Annotated[NDArray[np.int32], 2]
Int64Rows = Annotated[NDArray[np.int64], 2]
"""What a field may be: an array of one dimension or, for rows, of two; or another record."""


class ArrayRecord:
    """Base of frozen dataclasses whose fields are arrays, of the types above, or such records."""

    address: int
    """Where the table stands: of each array its data and its shape, of a record its table."""

    def __post_init__(self) -> None:
        rows: list[int] = []
        for name, kind in field_types(_class(self)).items():
            value = getattr(self, name)
            if isinstance(value, ArrayRecord):
                rows.append(value.address)
                continue
            dtype = numpy_support.as_dtype(kind.dtype)
            array = np.ascontiguousarray(value)
            if array.dtype != dtype or array.ndim != kind.ndim:
                raise TypeError(
                    f"{type(self).__name__}.{name} has {array.ndim} dimensions of {array.dtype}, "
                    f"expected {kind.ndim} of {dtype}"
                )
            object.__setattr__(self, name, array)
            rows += [array.ctypes.data, *array.shape]
        table = np.array(rows, dtype=np.int64)
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "address", table.ctypes.data)

    def __reduce__(self) -> Any:
        """Another process, or a copy, makes its own table."""
        return type(self), tuple(getattr(self, field.name) for field in fields(_class(self)))


def _class(record: Any) -> Any:
    return type(record)


@cache
def field_types(record: Any) -> dict[str, Any]:
    """The Numba types of a record's fields, in their order."""
    found: dict[str, Any] = {}
    hints = get_type_hints(record, include_extras=True)
    for name in (field.name for field in fields(record)):
        hint, dimensions = hints[name], 1
        if isinstance(hint, type) and issubclass(hint, ArrayRecord):
            found[name] = RecordType(hint)
            continue
        if get_origin(hint) is Annotated:
            hint, dimensions = get_args(hint)
        dtype = get_args(get_args(hint)[1])[0]
        found[name] = types.Array(numpy_support.from_dtype(np.dtype(dtype)), dimensions, "C")
    return found


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
def _type_of(record: ArrayRecord, context: Any) -> RecordType:
    return record_type(_class(record))


@cache
def record_type(record: Any) -> RecordType:
    """The one type of this class of records."""
    return RecordType(record)


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
        return field_types(kind.record).get(name)


@lower_getattr_generic(RecordType)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, kind: RecordType, table: Any, name: str) -> Any:
    number = ir.IntType(64)
    at = 0
    for other, field in field_types(kind.record).items():
        if other == name:
            break
        at += 1 if isinstance(field, RecordType) else 1 + field.ndim

    def entry(offset: int) -> Any:
        read = builder.load(builder.gep(table, [ir.Constant(number, at + offset)]))
        # Tables never change, so a loop need not read them again.
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
