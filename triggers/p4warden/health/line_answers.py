"""What p4d gets while no event can be judged: the answer that each trigger line declares."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.health import BAD, Check, home_folder, trigger_programs
from p4warden.health.declared_answer import AN_END, NAME, off_command, until_on
from p4warden.health.steps import step
from p4warden.history import ways_back
from p4warden.home import active_policy, off_mark
from p4warden.server import table_form
from p4warden.table.judged_events import declared_answers, denies
from p4warden.table.triggers_table import TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from p4warden.health import CheckedInstallation


class Unjudged(NamedTuple):
    """Why no event can be judged, and the rows of the triggers table whose answers p4d gets.

    Attributes:
        mend: the command that mends it; empty if there is none.
        is_off: whether p4warden is switched off, which a gate looks at first.
    """

    problem: str
    rows: list[str]
    mend: str
    is_off: bool

    def line(self) -> str:
        effect = f"{until_on(is_off=self.is_off)}{declared_answers(self.rows)}"
        return f"{self.problem}, so nothing is judged: {effect}"

    def remedy(self, home: str) -> str:
        """Return the ways out, each command in a line of its own that begins with two blanks."""
        without_lines = trigger_programs.way_without_lines(home)
        if not self.mend:
            return without_lines
        if self.is_off:
            return step("mend it", self.mend)
        if not any(map(denies, self.rows)):
            return f"{step('mend it', self.mend)}\nor {without_lines}"
        on = shlex.join(["p4warden", "on", "--home", home])
        work = step(f"first let everybody work ({AN_END})", off_command(home))
        mend = step("then mend it", f"{self.mend} && {on}")
        return f"{work}\n{mend}\nor {without_lines}"


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield a result if p4d gets declared answers in place of verdicts; else nothing."""
    p4 = place.p4
    found = unjudged(place.home, lambda: None if p4 is None else table_form.read_form(p4))
    if found:
        yield Check(NAME, BAD, found.line(), found.remedy(place.home))


def unjudged(home: str, shown_table: Callable[[], str | None] = lambda: None) -> Unjudged | None:
    """Return why this home's lines cannot judge; None if they can, or if there are no lines.

    `shown_table` reads the triggers table that the server shows; None for the lines written last.
    """
    problem, mend = _problem(home)
    if not problem:
        return None
    try:
        rows = trigger_programs.own_rows(home, shown_table())
    except (P4WardenError, TableError, OSError):
        return None
    return Unjudged(problem, rows, mend, off_mark.is_off(home, time.time_ns())) if rows else None


def _problem(home: str) -> tuple[str, str]:
    """Return what keeps the gate from judging, with the command against it; empty if nothing."""
    try:
        if home_folder.is_missing(home):
            return f"{home} does not exist", ""
        active_policy.policy(home)
    except OSError as error:
        return f"{home} cannot be accessed: {error.strerror}", ""
    except active_policy.UnusableFileError as error:
        return str(error), ways_back.policy(home)
    try:
        active_policy.known_facts(home)
    except active_policy.NoFactsError:
        return "", ""  # events are judged as on an unknown server
    except active_policy.UnusableFileError as error:
        return str(error), ways_back.facts(home)
    return "", ""
