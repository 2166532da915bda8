"""`TYPE_CHECKING` and `NamedTuple` without `typing`, whose import costs each form trigger 3 ms.

A module on the trigger path imports these two names from here and all other types below
`if TYPE_CHECKING:`, with `from __future__ import annotations`. mypy sees `typing`'s own.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - mypy wants a re-export said so
else:
    from collections import namedtuple

    class _Maker(type):
        """Make a class statement with annotated fields a `namedtuple`."""

        def __new__(cls, name, bases, body):
            """Return the tuple type with the fields, defaults and methods of the statement."""
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body.get("__annotations__", {})
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(  # noqa: PYI024 - typing's own does the same
                name, fields, defaults=defaults, module=body["__module__"]
            )
            for key in body.keys() - fields.keys() - _OWN:
                setattr(made, key, body[key])
            return made

    _OWN = {"__module__", "__qualname__", "__annotations__"}

    class NamedTuple(metaclass=_Maker):
        """The base of a frozen record: fields as annotations, then methods."""
