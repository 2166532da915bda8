"""Commands that run longer than a policy allows: found, and ended with certainty or not at all.

One connection keeps its process number over many commands, and `p4 monitor terminate` knows
nothing else, so an end needs three readings that agree, the last directly before. A command that
takes the number after the last reading is too young for p4d to end it (`db.monitor.minruntime`,
10 s).
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from p4warden.workbench.running.readings import Person, event

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.asking.judge import Judge
    from p4warden.workbench.running.processes import Process
    from p4warden.workbench.running.readings import Reading

APART_S = 10
MOST_LATE_S = 5
"""From the last reading to the request, less than the age that p4d demands."""
_MARKED = re.compile(r"\*\* process '(\d+)' marked for termination \*\*")
_MILDEST_FIRST = ("allow", "observe", "unknown", "refuse")
_GONE = "another-command"
_DOUBTS = {
    "age-unknown": "the server does not tell its age",
    "args-left-out": "the server does not tell its arguments",
    "clock-was-set": "the server's clock was set while it ran",
    "details-unknown": "its program and host are shown to operators and super users only",
    "seen-once": "the readings are not 10 s apart",
    "user-type-unknown": "p4 users -a does not tell the type of its user",
}


class Server(Protocol):
    def read(self) -> Reading: ...

    def person(self, user: str) -> Person: ...

    def terminate(self, number: int) -> str:
        """Ask for the end of a process, and return the server's text."""


class Clock(Protocol):
    """A clock that nobody sets."""

    def steady_s(self) -> float: ...

    def wait(self, seconds: float) -> None: ...


class Permission(Protocol):
    is_dry: bool

    def why_not(self, rule: str) -> str | None:
        """Return why the rule's next command is not to be ended; None if nothing is against it."""

    def clock_set_s(self, reading: Reading) -> float | None:
        """Return when the server's clock was last found set, by itself; None if never."""

    def count(self, rule: str) -> None:
        """Count an end before it is asked for, so that none is forgotten."""


class Result(Enum):
    OBSERVED = "only observed"
    MARKED = "marked for termination"
    DRY = "would be ended"
    LEFT = "not ended"


class Runaway(NamedTuple):
    """`record` is its line for the decision log, `why` the reason if it was not ended."""

    process: Process
    rule: str
    detail: str
    result: Result
    why: str = ""
    record: str | None = None


class Case(NamedTuple):
    process: Process  # as first read
    person: Person
    clock_set_s: float | None


class Round(NamedTuple):
    server: Server
    judge: Judge
    clock: Clock
    permission: Permission

    def runaways(self) -> Iterator[Runaway]:
        """Yield the commands to which a rule objects, after what can be done is done."""
        first = self.server.read()
        clock_set_s = self.permission.clock_set_s(first)
        suspects = self._suspects(first)
        if not suspects:
            return
        self.clock.wait(APART_S)
        readings = first, self.server.read()
        for suspect in suspects:
            case = Case(suspect, self.server.person(suspect.user), clock_set_s)
            if runaway := self._settled(case, readings):
                yield runaway

    def _suspects(self, reading: Reading) -> list[Process]:
        processes = reading.at_work()
        events = (event(one.number, [reading]) or {} for one in processes)
        answers = zip(processes, self.judge.answers(events), strict=True)
        return [one for one, answer in answers if answer.get("verdict", "allow") != "allow"]

    def _settled(self, case: Case, readings: tuple[Reading, Reading]) -> Runaway | None:
        answer = self._answer(case, readings)
        process = readings[-1].by_number.get(case.process.number)
        if answer is None or process is None or answer["verdict"] == "allow":
            return None
        unknown = next(iter(answer["unknown"]), {"rule": "", "why": ""})
        rule = answer["rule"] or unknown["rule"]
        runaway = Runaway(process, rule, answer["detail"] or "", Result.LEFT)
        if answer["verdict"] == "observe":
            return runaway._replace(result=Result.OBSERVED, record=answer["record"])
        if answer["verdict"] == "refuse":
            return self._ended(runaway, case, readings)
        why = unknown["why"]
        return None if why == _GONE else runaway._replace(why=_DOUBTS.get(why, why))

    def _ended(self, runaway: Runaway, case: Case, readings: tuple[Reading, Reading]) -> Runaway:
        reason = self.permission.why_not(runaway.rule)
        if reason is not None:
            return runaway._replace(why=reason)
        last = self.server.read()
        answer = self._answer(case, (*readings, last))
        if answer is None or (answer["verdict"], answer["rule"]) != ("refuse", runaway.rule):
            return runaway._replace(why="it has ended or changed meanwhile")
        self.permission.count(runaway.rule)
        if self.permission.is_dry:
            return runaway._replace(result=Result.DRY)
        if self.clock.steady_s() - last.steady_s > MOST_LATE_S:
            return runaway._replace(why="the server answers too slowly to be certain of it")
        text = self.server.terminate(runaway.process.number)
        match = _MARKED.search(text)
        if match is None or int(match[1]) != runaway.process.number:
            return runaway._replace(why=f"the server said: {text}")
        return runaway._replace(result=Result.MARKED, record=answer["record"])

    def _answer(self, case: Case, readings: Sequence[Reading]) -> dict[str, Any] | None:
        """Return the mildest verdict, by each list of groups; None if the process is gone."""
        number, person = case.process.number, case.person
        documents = [
            event(number, readings, person.user_type, groups, case.clock_set_s)
            for groups in person.groups
        ]
        answers = [self.judge.verdict_on(one) for one in documents if one is not None]
        return min(answers, key=lambda one: _MILDEST_FIRST.index(one["verdict"]), default=None)
