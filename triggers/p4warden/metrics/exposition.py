"""Metrics in the text format of Prometheus (prometheus.io, "Exposition formats", 0.0.4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

COUNTER, GAUGE = "counter", "gauge"
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n"}


class Sample(NamedTuple):
    labels: Mapping[str, str]  # values may be any text
    value: float


class Family(NamedTuple):
    name: str
    kind: str  # `counter` or `gauge`
    help: str  # one line
    samples: tuple[Sample, ...]


def is_label(name: str) -> bool:
    """Tell whether Prometheus allows a label; `__` at the start is reserved."""
    return bool(_LABEL.fullmatch(name)) and not name.startswith("__")


def render(families: Iterable[Family], common: Mapping[str, str]) -> str:
    """Render families that have samples; `common` labels are added to every sample."""
    lines: list[str] = []
    for family in families:
        if family.samples:
            lines += [
                f"# HELP {family.name} {family.help}",
                f"# TYPE {family.name} {family.kind}",
                *(_line(family.name, {**common, **s.labels}, s.value) for s in family.samples),
            ]
    return "".join(f"{line}\n" for line in lines)


def _line(name: str, labels: Mapping[str, str], value: float) -> str:
    inner = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{inner}}} {_number(value)}" if inner else f"{name} {_number(value)}"


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
