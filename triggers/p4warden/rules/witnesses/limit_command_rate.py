"""Example p4 commands in fast succession, which the rule `limit_command_rate` should stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.rules.limit_command_rate import burst_of, duration_ns, interval_ns
from p4warden.rules.witnesses.draft import DEEP, Draft, depots

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from p4warden.core.records import Facts

EVERY_NS = 10**6
_LONGEST_S = 60
_MOST = _LONGEST_S * 10**9 // EVERY_NS
"""Maximum number of repetitions of an example command: one each millisecond for a minute."""


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield at most two test events: a command, repeated until a rate limit must refuse it.

    One is sent while the pressure on the server's host is low, the other while it is high.
    """
    always = [limit for limit in settings.limits if not limit.get("when_pressure")]
    delay_ns = duration_ns(settings.max_delay or "") or 0 if settings.action == "delay" else 0
    command, path = settings.commands[0], f"//{depots(facts)[0]}/{DEEP}"
    for pressure, limits in (("low", always), ("high", settings.limits)):
        times = _first_refused(limits, delay_ns, settings)
        if times is not None:
            event = {"event": "command", "command": command, "args": [path], "pressure": pressure}
            description = f"the same {command} {times} times, one each millisecond"
            under = "" if pressure == "low" else ", while the server is under high pressure"
            yield Draft(f"{description}{under}", event, times)


def none(settings: Any) -> str:
    """Return the reason, for a warning, why `limit_command_rate` stopped no test event."""
    if settings.weight:
        return (
            f"a thousand commands per second for {_LONGEST_S} s that each count as unknown_as "
            "stay within its limits (lower allow or burst, or raise unknown_as)"
        )
    return (
        f"a thousand commands per second for {_LONGEST_S} s stay within its limits "
        "(lower allow or burst)"
    )


def _first_refused(
    limits: Iterable[Mapping[str, Any]], delay_ns: int, settings: Any
) -> int | None:
    """Return the number of requests, one each millisecond, until the limits refuse one.

    None if these are more than `_MOST`, or if the limits never refuse. With a weight each request
    counts as `unknown_as`, because it is judged without an index.
    """
    least, weight = None, settings.unknown_as if settings.weight else 1
    for limit in limits:
        interval = interval_ns(limit["allow"]) or 0
        if (step_ns := interval * weight) > EVERY_NS:
            burst = burst_of(limit, settings.weight)
            allowed_ns = (burst - min(burst, weight)) * interval + delay_ns
            times = allowed_ns // (step_ns - EVERY_NS) + 2
            least = times if least is None else min(least, times)
    return least if least is not None and least <= _MOST else None
