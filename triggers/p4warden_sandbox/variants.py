from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden_sandbox.variant_definitions import EXCLUSIONS, VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BY_NAME = {variant.name: variant for variant in VARIANTS}


def checked(choice: Mapping[str, str]) -> dict[str, str]:
    """Return a copy of a choice; raise P4WardenError for unknown or exclusive values."""
    for name, value in choice.items():
        variant = _BY_NAME.get(name)
        if variant is None:
            raise P4WardenError(f"no variant {name!r}: {_nearest(name, list(_BY_NAME))}")
        if value not in variant.values:
            raise P4WardenError(
                f"variant {name} is not {value!r}: {_nearest(value, variant.values)}"
            )
    for one, other, reason in EXCLUSIONS:
        if has_value(choice, *one) and has_value(choice, *other):
            first, second = "=".join(one), "=".join(other)
            raise P4WardenError(f"variants {first} and {second} exclude each other: {reason}")
    return dict(choice)


def choice_from_words(words: Iterable[str]) -> dict[str, str]:
    """Parse words such as `table=connection`; raise P4WardenError as `checked` does."""
    pairs = [word.partition("=") for word in words]
    for name, equals, _ in pairs:
        if not equals:
            variant = _BY_NAME.get(name)
            like = f"{name}={variant.values[-1]}" if variant else "table=connection"
            raise P4WardenError(f"variant {name!r} has no value: write NAME=VALUE as in {like}")
    return checked({name: value for name, _, value in pairs})


def value_of(choice: Mapping[str, str], name: str) -> str:
    """Return a variant's chosen value or default; raise KeyError if there is no such variant."""
    return choice.get(name, _BY_NAME[name].default)


def has_value(choice: Mapping[str, str], name: str, value: str) -> bool:
    """Tell whether a variant has a value; raise KeyError if that is none of its values."""
    if value not in _BY_NAME[name].values:
        raise KeyError(f"{name}={value}")
    return value_of(choice, name) == value


def listing() -> str:
    """Return a list of all sandbox variants with values, description and source, as text."""
    return "\n".join(
        f"{v.name}={'|'.join(v.values)}\n    {v.description}\n    Source: {v.source}."
        for v in VARIANTS
    )


def _nearest(word: str, names: Iterable[str]) -> str:
    names = list(names)
    close = difflib.get_close_matches(word, names, 1)
    return f"did you mean {close[0]}?" if close else f"choose one of {', '.join(names)}"
