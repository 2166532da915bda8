"""The data file of judged settings, `judged.yaml`, which describes its fields."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core import shipped_yaml
from p4warden.core.releases import Release, parsed
from p4warden.workbench.tune.values import number

if TYPE_CHECKING:
    from collections.abc import Mapping


class Advice(NamedTuple):
    recommends: str
    sources: tuple[str, ...]
    why: str = ""
    risk: str = ""


class Configurable(NamedTuple):
    name: str
    advice: Advice
    value: str | None  # to set; None to unset it
    judged_from: Release | None
    defaults: Mapping[str, str]  # by release
    least: int | None
    most: int | None
    never: int | None

    def accepts(self, value: str) -> bool:
        """Tell whether a value needs no change."""
        size = number(value)
        if size is None or size == self.never:
            return False
        return (self.least is None or size >= self.least) and (
            self.most is None or size <= self.most
        )


class Limit(NamedTuple):
    name: str  # a field of the group form
    advice: Advice
    value: int | None
    since: Release | None


class Property(NamedTuple):
    name: str
    advice: Advice
    default: int
    least: int
    value: str


class Known(NamedTuple):
    configurables: tuple[Configurable, ...]
    limits: tuple[Limit, ...]
    properties: tuple[Property, ...]
    host: tuple[Advice, ...]  # `recommends` and `sources` only


@cache
def known() -> Known:
    """Return the content of the data file."""
    file = resources.files("p4warden.workbench.tune") / "judged.yaml"
    document = shipped_yaml.load(file.read_text("utf-8"))
    names = document["sources"]
    return Known(
        tuple(_configurable(row, names) for row in document["configurables"]),
        tuple(
            Limit(row["name"], _advice(row, names), row.get("value"), _release(row, "since"))
            for row in document["limits"]
        ),
        tuple(
            Property(
                row["name"], _advice(row, names), int(row["default"]), row["least"], row["value"]
            )
            for row in document["properties"]
        ),
        tuple(Advice(row["text"], _sources(row, names)) for row in document["host"]),
    )


def _configurable(row: Mapping[str, Any], names: Mapping[str, str]) -> Configurable:
    accepts = row["accepts"]
    return Configurable(
        row["name"],
        _advice(row, names),
        row.get("value"),
        _release(row, "judged_from") or _release(row, "since"),
        row.get("defaults", {}),
        *(number(str(accepts.get(key, ""))) for key in ("least", "most", "not")),
    )


def _advice(row: Mapping[str, Any], names: Mapping[str, str]) -> Advice:
    return Advice(str(row["recommends"]), _sources(row, names), row["why"], row["risk"])


def _sources(row: Mapping[str, Any], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names[name] for name in row["sources"])


def _release(row: Mapping[str, Any], key: str) -> Release | None:
    return parsed(row[key]) if key in row else None
