"""What p4d gets while no event can be judged: the answer that each trigger line declares."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.health import BAD, Check, home_folder, trigger_programs
from p4warden.history import ways_back
from p4warden.home import active_policy, off_mark
from p4warden.server import table_form
from p4warden.table.triggers_table import TableError, line_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from p4warden.health import CheckedInstallation

NAME = "answer"
_EFFECTS = {"deny": "p4d refuses every event of", "allow": "p4d allows every event of"}


class Unjudged(NamedTuple):
    """Why no event can be judged, and the names of the lines that answer each of these ways.

    Attributes:
        mend: the command that mends it; empty if there is none.
        is_off: whether p4warden is switched off, which a gate looks at first.
    """

    problem: str
    lines: dict[str, list[str]]
    mend: str
    is_off: bool

    def line(self) -> str:
        effects = [
            f"{_EFFECTS[answer]} {', '.join(names)} (on_error: {answer})"
            for answer, names in self.lines.items()
            if names
        ]
        until = "p4warden is off, so p4d allows everything; once it is on, " if self.is_off else ""
        return f"{self.problem}, so nothing is judged: {until}{' and '.join(effects)}"

    def remedy(self, home: str) -> str:
        """Return the ways out, each command in a line of its own that begins with two blanks."""
        steps, mend, option = [], self.mend, f"--home {shlex.quote(home)}"
        if mend and self.lines["deny"] and not self.is_off:
            steps.append(f"first let everybody work:\n  p4warden off {option}")
            mend += f" && p4warden on {option}"
        if mend:
            steps.append(f"{'then ' if steps else ''}mend it:\n  {mend}")
        out = trigger_programs.take_out(home)
        steps.append(f"or take the lines out of the triggers table:\n  {out}")
        return "\n".join(steps)


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
    lines: dict[str, list[str]] = {answer: [] for answer in _EFFECTS}
    for row in rows:
        if line := line_in(row):
            lines["deny" if "--on-error=deny%quote%" in row else "allow"].append(line.name)
    is_off = off_mark.is_off(home, time.time_ns())
    return Unjudged(problem, lines, mend, is_off) if rows else None


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
