"""Read and write calibration.json: the accuracy of row estimates, measured against a p4d log.

`replay --calibrate` measures it. Shape: `{"format": 1, "time": S, "commands": {NAME:
{"requests": N, "unknown": N, "compared": N, "ratios": {"5": F, ...} or null}}}`. `time` is the
time of measurement, in seconds since the epoch; a ratio is an estimate divided by the number of
rows actually read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.home import json_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.policy.compiled import Policy, PolicyRule

FILE_NAME = "calibration.json"
MOST_UNKNOWN = 0.2
"""Share of a rule's commands without an estimate, 0 to 1, above which `doubts` warns."""

_KEYS = ("requests", "unknown", "compared", "ratios")


class Calibration(NamedTuple):
    time_s: int
    commands: Mapping[str, Mapping[str, Any]]

    def counts(self, rule: PolicyRule) -> tuple[int, int, int]:
        names = rule.settings["commands"]
        counts = [self.commands[name] for name in names if name in self.commands]
        requests, unknown, comparisons = (
            sum(one[key] for one in counts) for key in ("requests", "unknown", "compared")
        )
        return requests, unknown, comparisons


def keep(home: str, measured: Mapping[str, Mapping[str, Any]], now_s: int) -> None:
    """Write the measured accuracy of row estimates to a home folder."""
    commands = {name: {key: one[key] for key in _KEYS} for name, one in measured.items()}
    document = {"format": 1, "time": now_s, "commands": commands}
    json_file.keep(home, FILE_NAME, document)


def load(home: str) -> Calibration | None:
    """Return the accuracy of row estimates stored in a home folder; None without one.

    Raises:
        HomeError: the file is damaged or not trusted.
    """
    problem = ": is damaged; measure again with p4warden replay --calibrate"
    return json_file.load(home, FILE_NAME, _calibration, problem)


def _calibration(document: Any) -> Calibration:
    match document:
        case {"time": int() as time_s, "commands": dict() as commands} if all(
            type(one[key]) is int for one in commands.values() for key in _KEYS[:3]
        ):
            return Calibration(time_s, commands)
    raise ValueError(document)


def doubts(policy: Policy, calibration: Calibration | None) -> Iterator[str]:
    """Yield a warning for each enforced rule `limit_scanned_rows` with doubtful estimates."""
    command = "p4warden replay --index FILE --calibrate LOG..."
    for rule in policy.rules:
        if rule.rule != "limit_scanned_rows" or rule.mode != "enforce":
            continue
        total, unknown, comparisons = calibration.counts(rule) if calibration else (0, 0, 0)
        if not total:
            yield (
                f"{rule.name} refuses by estimates that were never compared with the rows that "
                f"commands actually read; first run {command}"
            )
        elif unknown > MOST_UNKNOWN * total:
            yield (
                f"{rule.name} has no estimate for {unknown:,} of {total:,} commands "
                f"({unknown / total:.0%}) of the compared log, and allows them; "
                "p4warden replay --index FILE lists their programs."
            )
        elif not comparisons:
            yield (
                f"{rule.name} refuses by estimates that were not compared with the rows that "
                "commands actually read: the log has no track lines of its commands; p4d writes "
                "them with "
                f"p4 configure set track=1, then run {command}"
            )
