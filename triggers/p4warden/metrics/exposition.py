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
    """One number of a Prometheus metric, with its labels.

    Attributes:
        labels: the labels by name; a label's value may be any text.
    """

    labels: Mapping[str, str]
    value: float


class Family(NamedTuple):
    """A Prometheus metric with all its samples.

    Attributes:
        name: the metric's name in Prometheus queries.
        kind: `counter` or `gauge`.
        help: one line that describes the metric.
    """

    name: str
    kind: str
    help: str
    samples: tuple[Sample, ...]


def is_label(name: str) -> bool:
    """Tell whether Prometheus allows a label of this name; `__` at the start is reserved."""
    return bool(_LABEL.fullmatch(name)) and not name.startswith("__")


def render(families: Iterable[Family], common: Mapping[str, str]) -> str:
    """Return metrics in the text format of Prometheus.

    Args:
        families: the metrics; those without samples are left out.
        common: labels added to every sample, such as the server's name.
    """
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
