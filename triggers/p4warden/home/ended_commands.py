"""The commands that `p4warden running --enforce` ended in the last hour, and those it logged.

Shape: `{"format": 1, "ends": [[RULE, SECONDS]], "observed": [[RULE, NUMBER, SECONDS]], "clock":
[BOOT, SECONDS, SECONDS]}`: when each was ended; the number and start of each observed process;
this host's boot, how far the server's clock was ahead of the time since then, and when it was last
found set, or null.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from p4warden.home import json_file

FILE_NAME = "running.json"
LOCK = "running.lock"
PROOF = "prove.json"
"""A report of `p4warden prove`."""
STOP = "running-off"
"""While the home has a file of this name, no command is ended."""
_FORMAT = 1
_HOUR_S = 3600
_MOST_OFF_S = 2
"""Between two times of one moment, of whole seconds."""


class Observed(NamedTuple):
    rule: str
    number: int
    start_s: float


class ServerClock(NamedTuple):
    boot: str
    ahead_s: float
    set_s: float | None = None  # by the server's clock

    def at(self, boot: str, time_s: float, steady_s: float) -> ServerClock:
        """Return what a later reading tells of the clock; after another boot nothing is known."""
        ahead_s = time_s - steady_s
        if boot != self.boot:
            return ServerClock(boot, ahead_s)
        was_set = abs(ahead_s - self.ahead_s) > _MOST_OFF_S
        return ServerClock(boot, ahead_s, time_s if was_set else self.set_s)


class EndedCommands(NamedTuple):
    ends: tuple[tuple[str, float], ...] = ()
    observed: tuple[Observed, ...] = ()
    clock: ServerClock | None = None

    def in_last_hour(self, rule: str, now_s: float) -> int:
        """Count also those of a future, because the clock may have been set back."""
        return sum(name == rule and now_s - time_s < _HOUR_S for name, time_s in self.ends)

    def with_end(self, rule: str, now_s: float) -> EndedCommands:
        recent = [(name, time_s) for name, time_s in self.ends if now_s - time_s < _HOUR_S]
        return self._replace(ends=(*recent, (rule, now_s)))

    def has_observed(self, one: Observed) -> bool:
        return any(
            (old.rule, old.number) == (one.rule, one.number)
            and abs(old.start_s - one.start_s) <= _MOST_OFF_S
            for old in self.observed
        )


def read(home: str) -> EndedCommands:
    """Return what a home's file tells; nothing without a file.

    Raises:
        HomeError: the file is not trusted, or damaged.
    """
    damaged = ": is damaged (remove it)"
    return json_file.load(home, FILE_NAME, _commands, damaged) or EndedCommands()


def _commands(document: Any) -> EndedCommands:
    if document["format"] != _FORMAT:
        raise ValueError(document["format"])
    ends = tuple((str(rule), float(time_s)) for rule, time_s in document["ends"])
    observed = (
        Observed(str(rule), int(number), float(start_s))
        for rule, number, start_s in document["observed"]
    )
    return EndedCommands(ends, tuple(observed), _clock(document["clock"]))


def _clock(row: Any) -> ServerClock | None:
    if row is None:
        return None
    boot, ahead_s, set_s = row
    return ServerClock(str(boot), float(ahead_s), None if set_s is None else float(set_s))


def write(home: str, commands: EndedCommands) -> None:
    """Replace the file; raise HomeError if that fails."""
    json_file.keep(home, FILE_NAME, {"format": _FORMAT, **commands._asdict()})
