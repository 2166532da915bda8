from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.plural import listed
from p4warden.core.visible import shown_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.workbench.tune.known_settings import Advice

Commands = tuple[tuple[str, ...], tuple[str, ...]]
"""To set and to undo."""


class Finding(NamedTuple):
    """`set_commands` and `undo_commands` are lines for a shell."""

    subject: str  # a configurable, a property or fields of the group form
    present: str
    recommendation: str  # with its sources
    here: str  # the meaning for this site
    risk: str
    set_commands: tuple[str, ...] = ()
    undo_commands: tuple[str, ...] = ()


class Unjudged(NamedTuple):
    subject: str
    reason: str


def finding(
    subject: str,
    present: str,
    advice: Advice,
    here: Iterable[str],
    commands: Commands = ((), ()),
    vendor: str = "",
) -> Finding:
    """Return a finding; `here` are sentences or empty, `vendor` is of `p4 configure help`."""
    text = f"{advice.recommends} ({listed(advice.sources)})"
    if vendor:
        text = f"{shown(vendor)} (p4 configure help of this server); {text}"
    return Finding(subject, present, text, ". ".join(filter(None, here)), advice.risk, *commands)


def shown(value: str) -> str:
    """Return a value of the server as visible text on one line."""
    return shown_lines(value).replace("\n", " ") or "(empty)"
