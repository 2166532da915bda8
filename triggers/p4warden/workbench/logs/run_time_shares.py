"""What the users' commands of a log cost, by form and program, the most run time first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Cost(NamedTuple):
    commands: int
    lapse_s: float
    rows: int | None  # got and scanned; None if the log does not state them
    waited_s: float  # for locks


class Share(NamedTuple):
    form: str  # the command's form, such as `changes -m PATH@<=N`
    program: str
    part: float  # of the run time of all commands of users
    all: Cost
    stopped: Cost  # of the commands that rules would stop
    rules: tuple[str, ...]

    @property
    def stopped_text(self) -> str:
        """Say which part of the run time rules would stop: `24 % by fstat-polling`."""
        if not self.rules:
            return "-"
        part = self.stopped.lapse_s / self.all.lapse_s if self.all.lapse_s else 0.0
        return f"{percent(part)} by {', '.join(self.rules)}"


class RunTime(NamedTuple):
    total: Cost
    shares: tuple[Share, ...]


def run_time(report: Mapping[str, Any]) -> RunTime:
    """Read the `shares` of a report of `p4warden-log replay`."""
    document = report["shares"]
    total = Cost(**document["total"])
    return RunTime(total, tuple(_share(one, total) for one in document["groups"]))


def percent(part: float) -> str:
    """Return `72 %`, or `0.9 %` below ten."""
    return f"{100 * part:.0f} %" if part >= 0.1 else f"{100 * part:.1f} %"  # noqa: PLR2004 - ten


def _share(one: Mapping[str, Any], total: Cost) -> Share:
    its = Cost(**one["all"])
    part = its.lapse_s / total.lapse_s if total.lapse_s else 0.0
    return Share(
        one["form"], one["program"], part, its, Cost(**one["stopped"]), tuple(one["rules"])
    )
