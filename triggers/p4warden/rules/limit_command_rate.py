"""Limit how often commands may come, or how much they read: per user, and per other properties.

With `weight` the limits are budgets of records: a command uses as many files or revisions as the
index of the last checkpoint estimates that it reads (as in `limit_scanned_rows`), and `unknown_as`
where that cannot be known. A command that reads none uses nothing and is always allowed. One that
reads more than the burst is allowed when nothing of the burst is used, and leaves a debt that
later commands wait for. So in any period at most the burst, the rate times the period and one
command are admitted. A client's view is the one in the index or its last update from the journal.

Rates are the only rule with stored state, and a decision about a command may take only a
millisecond: the gate's library judges them, from the same compiled policy. This module has the
rule's settings and the checks of the settings.
"""

from __future__ import annotations

from p4warden.core import rate_notation
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.rules import command_names
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Settings(NamedTuple):
    """Settings of the policy rule `limit_command_rate`.

    Attributes:
        commands: names of p4 commands; each stands for all its synonyms.
        limits: each with `per`, `allow`, and optionally `burst` and `when_pressure`.
        action: `refuse` or `delay`.
        max_delay: the longest delay, such as `2s`; a command that would wait longer is refused.
        weight: `files` or `revisions` if the limits count the records that a command reads; None
            if they count commands.
        unknown_as: with a weight, the number of records that a command without an estimate uses.
    """

    commands: tuple[str, ...]
    limits: tuple[Mapping[str, Any], ...]
    action: str = "refuse"
    max_delay: str | None = None
    weight: str | None = None
    unknown_as: int | None = None


def burst_of(limit: Mapping[str, Any], weight: str | None) -> int:
    """Return the burst of a limit, which with a weight is the number in `allow` by default."""
    rate = rate_notation.rate(limit["allow"]) if weight else None
    return int(limit.get("burst", rate.times if rate else 1))


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the trigger events that a rule on command rates judges, one per command name.

    The names are the main name and all synonyms of each of the rule's commands.
    """
    return command_names.events(settings.commands)


def needed_options(settings: Settings) -> set[str]:
    """Return the trigger line options that a rule on command rates needs with a value.

    Only `args`, `cwd`, `pressure-cpu` and `pressure-mem` can be needed.
    """
    keys = {key for limit in settings.limits for key in limit["per"]}
    arguments = {"args"} if keys & {"args", "shape"} else set()
    arguments |= {"args", "cwd"} if settings.weight else set()
    arguments |= command_names.needed_options(settings.commands)
    pressure = any(limit.get("when_pressure") for limit in settings.limits)
    return arguments | ({"pressure-cpu", "pressure-mem"} if pressure else set())


def duration_ns(text: str) -> int | None:
    """Return a duration such as `2s` in nanoseconds, None if the text is not a duration."""
    duration = rate_notation.duration(text)
    return duration.ns if duration else None


def interval_ns(allow: str) -> int | None:
    """Return the time per request of a rate such as `5 per 1s`, in nanoseconds, rounded up.

    None if the text is not a rate, the rate allows no request, or its period is zero.
    """
    rate = rate_notation.rate(allow)
    return rate.interval_ns if rate else None


RULE = Rule(
    "a command is sent more often than the policy allows",
    Settings,
    events,
    needed_options=needed_options,
)
