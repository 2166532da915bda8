"""Check that p4d can start the programs that this installation's trigger lines name.

p4d refuses each event of a line whose program it cannot start, whatever the policy says, and
whether p4warden is on or off.
"""

from __future__ import annotations

import contextlib
import shlex
import socket
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from p4warden.core.errors import P4WardenError
from p4warden.health import BAD, GOOD, UNKNOWN, Check
from p4warden.health.lost_program import put_back
from p4warden.health.steps import step
from p4warden.history import kept_files, states, trail
from p4warden.history.local_time import time_text
from p4warden.home import (
    account,
    active_policy,
    gate_counts,
    own_program,
    program_file,
    program_start,
)
from p4warden.home.trusted_files import HomeError
from p4warden.server import present_table, table_form
from p4warden.table import instances
from p4warden.table.called_programs import called_programs
from p4warden.table.judged_events import declared_answers, in_words
from p4warden.table.trigger_lines import lines_for, passes_arguments
from p4warden.table.triggers_table import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.health import CheckedInstallation
    from p4warden.home.account import Account
    from p4warden.table.called_programs import CalledProgram

NAME = "start"
_WITHOUT_LINES = "without p4warden's lines in the triggers table"


class NothingJudged(Protocol):
    """Why p4d gets no verdict on any event, and the ways out."""

    def line(self) -> str: ...
    def remedy(self, home: str) -> str: ...


class Unstartable(NamedTuple):
    """Why p4d cannot start a program of the trigger lines.

    Attributes:
        effect: what p4d does therefore with the events of these lines.
        times: since when, as far as that is known; one or more sentences.
        put_back: the step against it.
    """

    problem: str
    effect: str
    times: str
    put_back: str

    def line(self) -> str:
        return f"{self.problem}; {self.effect}. {self.times}"

    def remedy(self, home: str) -> str:
        """Return the ways out, each command in a line of its own that begins with two blanks."""
        return f"{self.put_back}\nor {way_without_lines(home)}"


class StartResult(NamedTuple):
    """The result of starting the programs of this installation's trigger lines.

    Attributes:
        unchecked: why nothing was started here; empty if it was.
        has_arguments: whether p4d cannot start a program for a command with over 128 KiB of
            arguments, because its line passes them.
    """

    programs: tuple[str, ...] = ()
    failure: Unstartable | None = None
    unchecked: str = ""
    has_arguments: bool = False


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield a result about starting the programs of the trigger lines; nothing without lines."""
    form = table_form.read_form(place.p4) if place.p4 is not None else None
    result = _started(place.home, form)
    if result.unchecked:
        yield Check(NAME, UNKNOWN, f"not checked here: {result.unchecked}")
    elif result.failure:
        failure = result.failure
        yield Check(NAME, BAD, failure.line(), failure.remedy(place.home))
    elif result.programs:
        yield Check(NAME, GOOD, f"p4d can start {' and '.join(result.programs)}")


def start_shown(home: str) -> StartResult:
    """Start the programs of the trigger lines, as p4d's account.

    The lines are those that the server shows within two seconds, else those that a deploy wrote
    last.
    """
    return _started(home, present_table.read_in_time())


def start_those_in(home: str, form: str) -> StartResult:
    """Start the programs of this installation's lines in a table, as p4d's account."""
    return _started(home, form)


def start_last_written(home: str) -> StartResult:
    """Start the programs of the trigger lines that the last deploy wrote, as p4d's account.

    On a server that gets its table from another one, those of the lines that its policy needs:
    `p4warden follow` refuses a policy for lines that name other programs.
    """
    return _started(home, None)


def ways_out(failure: NothingJudged, home: str) -> str:
    """Return what p4d does while nothing is judged, and the ways out."""
    return f"{failure.line()}\n{failure.remedy(home)}"


def way_without_lines(home: str) -> str:
    """Return the step that lets everybody work whatever is wrong here."""
    return step(f"let everybody work {_WITHOUT_LINES}", take_out(home))


def take_out(home: str) -> str:
    """Return the command that takes the installation's lines out of the triggers table."""
    return shlex.join([*own_program.words(), "deploy", "uninstall", "--home", home])


def _started(home: str, form: str | None) -> StartResult:
    try:
        p4d = _account(home)
        # If p4d's account may not enter the home, `_closed_home` reports it; root can still read.
        is_closed = program_file.closed_folder(f"{home}/off", p4d) is not None
        with contextlib.nullcontext() if is_closed else p4d.acting():
            rows = own_rows(home, form)
        programs = called_programs(rows)
    except (P4WardenError, TableError) as error:
        return StartResult(unchecked=str(error))
    except OSError as error:
        return StartResult(unchecked=f"{home}: {error.strerror}")
    failures = (_failure(program, home, p4d) for program in programs)
    paths = tuple(program.words[0] for program in programs)
    failure = next(filter(None, failures), None)
    return StartResult(paths, failure, has_arguments=any(map(passes_arguments, rows)))


def _account(home: str) -> Account:
    p4d = account.owner_of(home)
    if not p4d.can_be_taken:
        raise P4WardenError(f"run this as {p4d.name}, the account that {home} belongs to")
    return p4d


def own_rows(home: str, form: str | None) -> list[str]:
    """Return this installation's lines in the table that the server shows, or else written last.

    Raises:
        P4WardenError, TableError: they are not known here.
    """
    return instances.installed(home).owner.rows_in(_table(home, form))


def _table(home: str, form: str | None) -> str:
    """Return the table that the server shows, or else the one that the last deploy wrote here.

    Raises:
        P4WardenError: there is neither, or p4d runs on another host: the last change of policy or
            table was made there.
    """
    try:
        last = states.latest(trail.changes(home))
    except HomeError:
        if form is None:
            raise
        last = None
    host = socket.gethostname()
    if last and last.person.host not in ("", host):
        raise P4WardenError(f"{home} was last changed on {last.person.host}, but this is {host}")
    if form is not None:
        return form
    if last is None or not (last.table or last.action == "follow"):
        raise P4WardenError("no deploy is recorded in this home, and the server shows no table")
    return kept_files.table(home, last.table) if last.table else _followed(home)


def _followed(home: str) -> str:
    lines = lines_for(active_policy.policy(home), instances.installed(home))
    return "Triggers:\n" + "".join(f"\t{line.text()}\n" for line in lines)


def _failure(program: CalledProgram, home: str, p4d: Account) -> Unstartable | None:
    failed = program_start.try_start(program.words, program.event, p4d)
    if failed is None:
        return _closed_home(home, program.rows, p4d)
    effect = f"{failed.effect(in_words(program.rows))}, whether p4warden is on or off"
    path = program.words[0]
    back = step("put it right", failed.remedy) if failed.remedy else put_back(path)
    return Unstartable(failed.problem, effect, _times(path, home), back)


def _closed_home(home: str, rows: Sequence[str], p4d: Account) -> Unstartable | None:
    folder = program_file.closed_folder(f"{home}/off", p4d)
    if folder is None:
        return None
    problem = f"{p4d.name} may not enter {folder}, so no trigger can read {home}"
    effect = f"{declared_answers(rows)}, whether p4warden is on or off"
    back = step("put it right", program_start.enter_command(folder, p4d))
    return Unstartable(problem, effect, _times(folder, home), back)


def _times(path: str, home: str) -> str:
    changed, changed_s = program_file.last_change(path)
    text = f"{changed} was changed last on {time_text(changed_s)}"
    with contextlib.suppress(OSError):
        # The gate writes its state with each answer.
        answered_s = Path(home, gate_counts.STATE_FILE).stat().st_mtime
        text += f", and a gate answered last on {time_text(answered_s)}"
    return f"{text}."
