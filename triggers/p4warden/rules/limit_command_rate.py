"""Limit how often commands may come, or how much they read: per user, and per other properties.

Why: a handful of polling tools can keep a server busy for everyone. Editors' plugins have been
seen sending thousands of fstat commands of 32 paths each for one refresh, and millions in a few
days from one user (vscode-perforce issues 154, 238 and 301). p4d has no limit per user over time.

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
from p4warden.rules import command_names, known_commands, never_limited
from p4warden.rules.limit_scanned_rows import ESTIMATED
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


MAX_DELAY_S = 60
LONGEST_DAYS = 1000


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


def mistakes(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield errors in a policy's rule on command rates: key path within the rule, and message."""
    yield from never_limited.mistakes(rule)
    yield from known_commands.mistakes(rule)
    for index, limit in enumerate(_items(rule, "limits")):
        allow = limit.get("allow") if isinstance(limit, dict) else None
        if isinstance(allow, str) and rate_notation.rate(allow) and interval_ns(allow) is None:
            problem = f"no command is possible with {allow} (allow at least one, such as 1/m)"
            yield ("limits", index, "allow"), problem
        elif isinstance(allow, str) and _too_long(allow, _burst(limit, rule.get("weight"))):
            problem = f"is over {LONGEST_DAYS} days until all of the burst is allowed again"
            yield ("limits", index), problem
    yield from _delay_mistakes(rule.get("action", "refuse"), rule.get("max_delay"))
    yield from _weight_mistakes(rule)


def doubts(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield warnings about a policy's rule on command rates: key path within the rule, message."""
    yield from command_names.doubts(rule)
    yield from known_commands.doubts(rule)
    if rule.get("weight"):
        yield from _without_estimate(rule)
    limits = [limit for limit in _items(rule, "limits") if isinstance(limit, dict)]
    always = [limit for limit in limits if not limit.get("when_pressure")] or limits
    if limits and not any(limit.get("per") == ["user"] for limit in always):
        problem = "no limit is by user alone, and users can vary all other keys to evade a limit "
        problem += "(add a limit with per: [user])"
        yield ("limits",), problem


def _too_long(allow: str, burst: object) -> bool:
    """Tell whether a rate's time per command or time to regain a burst is over `LONGEST_DAYS`."""
    step_ns = interval_ns(allow) or 0
    number = burst if isinstance(burst, int) else 1
    return max(step_ns, (number - 1) * step_ns) > LONGEST_DAYS * rate_notation.UNITS_NS["d"]


def _burst(limit: Mapping[str, Any], weight: object) -> object:
    """Return the burst of a limit that may be wrong, as in `burst_of`."""
    rate = rate_notation.rate(limit["allow"])
    return limit.get("burst", rate.times if rate and weight else 1)


def _weight_mistakes(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    if rule.get("weight") is not None and rule.get("unknown_as") is None:
        yield (), "unknown_as is missing (for example unknown_as: 10000)"
    elif rule.get("weight") is None and rule.get("unknown_as") is not None:
        yield ("unknown_as",), "has no effect (write weight: files, or remove this)"


def _without_estimate(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for place, name in enumerate(_items(rule, "commands")):
        is_known = isinstance(name, str) and name in known_commands.COMMANDS
        if is_known and command_names.synonym_of(name).main_name not in ESTIMATED:
            problem = f"{name} has no estimate, and always counts as unknown_as (remove {name})"
            yield ("commands", place), problem


def _items(rule: Mapping[str, Any], key: str) -> list[Any]:
    items = rule.get(key)
    return items if isinstance(items, list) else []


def _delay_mistakes(action: str, max_delay: object) -> Iterator[tuple[tuple[str, ...], str]]:
    if action == "delay" and max_delay is None:
        yield (), "max_delay is missing (for example max_delay: 2s)"
    elif action != "delay" and max_delay is not None:
        yield ("max_delay",), "has no effect (write action: delay, or remove this)"
    elif isinstance(max_delay, str):
        delay_ns = duration_ns(max_delay)
        if delay_ns == 0:
            yield ("max_delay",), f"{max_delay} is not a delay (from 1ms to {MAX_DELAY_S}s)"
        elif delay_ns and delay_ns > MAX_DELAY_S * 10**9:
            yield ("max_delay",), f"{max_delay} is too long (at most {MAX_DELAY_S}s)"


RULE = Rule(
    __doc__,
    "a command is sent more often than the policy allows",
    Settings,
    events,
    needed_options=needed_options,
    mistakes=mistakes,
    doubts=doubts,
)
