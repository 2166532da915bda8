"""A model of a server's processes, on which `p4warden running --enforce` is tried.

It knows what is true of each command. Connections keep their number over many commands, are
closed, and leave their number to others; the server's clock is set; ages and dates are whole
seconds; and time passes with every question. `terminate` has p4d's rules: it knows a number only,
and refuses a command that is younger than ten seconds by the server's clock.

The clock is set at most once from one round to the next, and not before the first: nobody could
tell that it was set twice, forth and back. Nor is it set while a request for an end is on its way.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from p4warden.home.ended_commands import EndedCommands, ServerClock
from p4warden.workbench.running.processes import Process
from p4warden.workbench.running.readings import Person, Reading, reading
from p4warden.workbench.running.runaways import Round

if TYPE_CHECKING:
    from p4warden.asking.judge import Judge

MAX_TIME_S = 60
RULE = {
    "name": "long",
    "rule": "limit_running_time",
    "mode": "enforce",
    "commands": ["sync", "fstat", "files"],
    "max_time": f"{MAX_TIME_S}s",
}
EXEMPTION = {"for": {"groups": ["farm"]}, "reason": "builds", "owner": "ci"}
LEAST_RUNTIME_S = 10
PEOPLE = {
    "ann": Person("standard", [(), ()]),
    "bob": Person("standard", [("team",), ("team", "all")]),
    "robot": Person("standard", [(), ("farm",)]),
    "svc": Person("service", [(), ()]),
    "gone": Person("", [(), ()]),
}
MAY_BE_ENDED = {"ann", "bob"}
LIMITED = {"sync", "fstat", "files"}
SLACK_S = 4
"""Dates and ages are cut to seconds, and a clock that is set by less is not found set."""


@dataclass
class Command:
    user: str
    client: str
    host: str
    program: str
    command: str
    args: str
    state: str
    started_s: float  # true time
    start_date_s: float  # by the server's clock
    is_marked: bool = False

    def likeness(self) -> tuple[str, ...]:
        return (self.user, self.client, self.host, self.program, self.command, self.args)


@dataclass
class ServerModel:
    """The server, and a clock that nobody sets; `wrong_ends` says of each why it is wrong."""

    random: random.Random
    now_s: float = 1_000_000.0
    ahead_s: float = 1_700_000_000.0
    commands: dict[int, Command] = field(default_factory=dict)
    ends: int = 0
    wrong_ends: list[str] = field(default_factory=list)
    may_be_set: bool = False
    delays_s: tuple[float, ...] = (0.01, 0.2, 1.4)

    def __post_init__(self) -> None:
        for number in range(self.random.randint(1, 4)):
            age_s = (
                self.random.choice((0, 5, 50, 58, 59, 61, 70, 600, 7200)) + self.random.random()
            )
            self._begin(100 + number, self.now_s - age_s)

    # What Round asks.

    def read(self) -> Reading:
        steady_s = self.now_s
        self._pass(self.random.choice(self.delays_s))
        date_s = float(math.floor(self.now_s + self.ahead_s))
        self._pass(self.random.choice(self.delays_s) / 2)
        return reading(self.rows(), date_s, steady_s)

    def rows(self) -> list[Process]:
        return [self._row(number) for number in self.commands]

    def person(self, user: str) -> Person:
        self._pass(0.05)
        return PEOPLE[user]

    def terminate(self, number: int) -> str:
        may_be_set, self.may_be_set = self.may_be_set, False
        self._pass(self.random.choice((0.01, 0.2, 3.0)))
        self.may_be_set = may_be_set
        command = self.commands.get(number)
        if command is None:
            return f"Invalid session identifier: {number}"
        if self.now_s + self.ahead_s - command.start_date_s < LEAST_RUNTIME_S:
            return f"** process '{number}' can't terminate, runtime < {LEAST_RUNTIME_S} seconds **"
        self.ends += 1
        self.wrong_ends += [] if (why := self._wrong(command)) is None else [why]
        command.is_marked = True
        return f"** process '{number}' marked for termination **"

    def steady_s(self) -> float:
        return self.now_s

    def wait(self, seconds: float) -> None:
        self._pass(seconds + self.random.random() * 0.2)

    def rest(self) -> None:
        """Let the time until the timer's next round pass."""
        self._pass(self.random.choice((30.0, 60.0, 61.5)))

    # What happens on its own.

    def _wrong(self, command: Command) -> str | None:
        true_age_s = self.now_s - command.started_s
        if true_age_s <= MAX_TIME_S - SLACK_S:
            return f"it has been running for {true_age_s:.1f} s"
        if command.user not in MAY_BE_ENDED or command.command not in LIMITED:
            return f"{command.command} of {command.user}"
        return None if command.state == "running" else command.state

    def _pass(self, seconds: float) -> None:
        end_s = self.now_s + seconds
        while (moment_s := self.now_s + self.random.expovariate(0.1)) < end_s:
            self.now_s = moment_s
            self._happen()
        self.now_s = end_s

    def _happen(self) -> None:
        chance = self.random.random()
        if chance < 0.06 and self.may_be_set:
            length_s = self.random.choice((5, 40, 61, 120, 3600, 7201)) + self.random.random()
            self.ahead_s += self.random.choice((1, -1)) * length_s
            self.may_be_set = False
        elif chance < 0.1:
            self._restart()
        elif chance < 0.5 and self.commands:
            self._next(self.random.choice(list(self.commands)))
        elif chance < 0.55:
            self._begin(100 + self.random.randrange(5), self.now_s)

    def _restart(self) -> None:
        numbers = list(self.commands)
        self.commands.clear()
        for number in numbers:
            self._begin(number, self.now_s)

    def _next(self, number: int) -> None:
        """End a command; the connection often sends the same again."""
        old = self.commands.pop(number)
        if self.random.random() < 0.2:
            return
        self._begin(number, self.now_s)
        if self.random.random() < 0.8:
            new = self.commands[number]
            new.user, new.client, new.host, new.program, new.command, new.args = old.likeness()
            new.state = old.state

    def _begin(self, number: int, started_s: float) -> None:
        choose = self.random.choice
        command = choose(("sync", "sync", "fstat", "files", "submit", "dm-CommitSubmit", "pull"))
        state = choose(("running",) * 5 + ("background", "paused", "ending", "other"))
        self.commands[number] = Command(
            choose(("ann", "ann", "ann", "bob", "robot", "svc", "gone")),
            choose(("ws", "ws", "ws2")),
            choose(("pc7", "pc7", "pc8")),
            choose(("P4V", "p4")),
            command,
            choose(("//depot/...", "//depot/...", "-n //depot/...")),
            state,
            started_s,
            started_s + self.ahead_s,
        )

    def _row(self, number: int) -> Process:
        one = self.commands[number]
        age_s = math.floor(self.now_s + self.ahead_s - one.start_date_s)
        state = "ending" if one.is_marked else one.state
        shown = one.args, one.client, one.host, one.program
        return Process(number, state, one.user, one.command, age_s if age_s >= 0 else None, *shown)


def play(judge: Judge, seed: int) -> ServerModel:
    """Return a server after three rounds of a timer on a random history."""
    draw = random.Random(seed)  # noqa: S311 - reproducible test data
    server = ServerModel(draw)
    permission = FreePermission(server)
    for _ in range(3):
        list(Round(server, judge, server, permission).runaways())
        server.rest()
    return server


class FreePermission:
    """Everything may be ended; the server's clock is watched as by `p4warden running`."""

    is_dry = False

    def __init__(self, server: ServerModel) -> None:
        self._server, self._commands = server, EndedCommands()

    def why_not(self, rule: str) -> str | None:
        del rule
        return None

    def clock_set_s(self, reading: Reading) -> float | None:
        ahead_s = reading.time_s - reading.steady_s
        old = self._commands.clock or ServerClock("boot", ahead_s)
        clock = old.at("boot", reading.time_s, reading.steady_s)
        self._commands = self._commands._replace(clock=clock)
        self._server.may_be_set = True
        return clock.set_s

    def count(self, rule: str) -> None:
        self._commands = self._commands.with_end(rule, 0.0)
