from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from p4warden.core import shipped_yaml
from p4warden.prove.records import Experiment, Fact

if TYPE_CHECKING:
    from collections.abc import Mapping

ORDER = (
    "login",
    "whole_life",
    "table",
    "killed",
    "words",
    "names",
    "arguments",
    "forms",
    "form_out",
    "views",
    "submits",
    "dictionary",
    "refusals",
    "synonyms",
    "environment",
    "ends",
    "case",
    "unicode",
    "rows",
    "terminate",
    "logs",
    "server_id",
    "checkpoint",
    "edge",
)
"""The first experiment creates the users for the others."""


@cache
def experiments() -> tuple[Experiment, ...]:
    """Return the experiments on p4d with their facts, in the order of execution."""
    return tuple(_experiment(name) for name in ORDER)


@cache
def promises() -> Mapping[str, str]:
    """Return the texts of p4warden's promises to its users, by id."""
    return _load("promises")


def _experiment(name: str) -> Experiment:
    content = _load(name)
    facts = tuple(_fact(name, row) for row in content["facts"])
    return Experiment(name, **{**content, "facts": facts})


def _fact(experiment: str, row: dict[str, Any]) -> Fact:
    return Fact(
        f"{experiment}.{row['id']}",
        row["question"],
        row["hypothesis"],
        tuple(row["accepted"]),
        tuple(row["promises"]),
        row.get("variants", {}),
        row["source"],
        tuple(row.get("steps", [row["id"]])),
    )


def _load(name: str) -> dict[str, Any]:
    file = resources.files("p4warden.prove") / "facts" / f"{name}.yaml"
    content: dict[str, Any] = shipped_yaml.load(file.read_text("utf-8"))
    return content
