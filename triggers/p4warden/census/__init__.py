"""Existing specs, of a server or a checkpoint, judged as if saved again unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from p4warden.core.records import Form

TYPES = ("client", "stream", "branch", "label", "depot")


class Spec(NamedTuple):
    type: str  # one of `TYPES`
    name: str
    owner: str | None
    accessed_s: int | None  # seconds since the epoch
    form: Form
