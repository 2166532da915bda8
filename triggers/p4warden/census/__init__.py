"""Census of a server's existing specs: judge clients and others as if saved again unchanged.

Specs come from the server itself, or offline from a checkpoint and the journals after it. In both
cases the evaluator of trigger events gives every verdict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from p4warden.core.records import Form

TYPES = ("client", "stream", "branch", "label", "depot")
"""The types of specs that a census can judge, as p4d names them."""


class Spec(NamedTuple):
    """A spec as stored on the server, with its form.

    Attributes:
        type: one of `TYPES`, the spec types that a census judges.
        owner: the owner's user name; None if the spec has no owner.
        accessed_s: time of the last use, in seconds since the epoch; None if unknown.
    """

    type: str
    name: str
    owner: str | None
    accessed_s: int | None
    form: Form
