"""Provide `TYPE_CHECKING` and `NamedTuple` without `typing`, whose import takes 3 ms per trigger.

A module that triggers import takes these two names from here, and imports all other types below
`if TYPE_CHECKING:`, with `from __future__ import annotations`. mypy sees `typing`'s own.

`collections.namedtuple` compiles a constructor for each class; the class below does not, which
saves about 30 us per class.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - mypy wants a re-export said so
else:
    from operator import itemgetter

    class _Record(tuple):
        """Base class with the methods of `collections.namedtuple`, for the light `NamedTuple`."""

        __slots__ = ()
        _fields = ()

        def _replace(self, **changed):
            """Return a copy of the named tuple with new values in some fields."""
            row = [
                changed.pop(field, value) for field, value in zip(self._fields, self, strict=True)
            ]
            if changed:
                raise ValueError(f"{type(self).__name__} has no field {', '.join(changed)}")
            return tuple.__new__(type(self), row)

        def _asdict(self):
            """Return the named tuple's values as a dictionary, by field name."""
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            """Return a named tuple as text: `Name(field=value, ...)`."""
            values = ", ".join(f"{field}={value!r}" for field, value in self._asdict().items())
            return f"{type(self).__name__}({values})"

        def __getnewargs__(self):
            """Return the arguments that recreate the named tuple, for `copy` and `pickle`."""
            return tuple(self)

    class _Maker(type):
        """Metaclass of the light `NamedTuple`: turns annotated fields into a tuple type."""

        def __new__(cls, name, bases, body):
            """Create a tuple type from the fields, defaults and methods in a class statement."""
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = (*body.pop("__annotations__", ()),)
            defaults = {field: body[field] for field in fields if field in body}
            body |= {field: property(itemgetter(place)) for place, field in enumerate(fields)}
            body |= {"__slots__": (), "_fields": fields, "__match_args__": fields}
            return type(name, (_Record,), body | _constructor(name, fields, defaults))

    def _constructor(name, fields, defaults):
        number = len(fields)

        def make(cls, *values, **by_name):
            """Return a named tuple of values that are given in field order or by name."""
            if by_name or len(values) != number:
                values = _row(name, fields, defaults, values, by_name)
            return tuple.__new__(cls, values)

        return {"__new__": make, "_field_defaults": defaults}

    def _row(name, fields, defaults, values, by_name):
        """Return a list with one value for each field of a named tuple.

        Raises:
            TypeError: a field has no value or several, or a value has no field.
        """
        by_field = {**dict(zip(fields, values, strict=False)), **by_name}
        if len(by_field) < len(values) + len(by_name) or by_field.keys() - fields:
            raise TypeError(f"{name} has the fields {', '.join(fields)}")
        row = {**defaults, **by_field}
        if len(row) < len(fields):
            missing_fields = [field for field in fields if field not in row]
            raise TypeError(f"{name} lacks {', '.join(missing_fields)}")
        return [row[field] for field in fields]

    class NamedTuple(metaclass=_Maker):
        """Base class of frozen records (named tuples); a subclass lists annotated fields."""
