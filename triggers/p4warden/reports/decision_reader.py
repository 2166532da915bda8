from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.asking import gate_program
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.home import decision_log, gate_counts, own_program
from p4warden.home.decision_log import WholeDecisionLog
from p4warden.reports.counted_decisions import completed
from p4warden.reports.decision_record import decision, unwritten_decision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.reports.decision_record import Decision


def refuse_unreadable(home: str) -> None:
    """Raise `P4WardenError` if this account cannot read the decision log."""
    files = decision_log.paths(home)
    paths = [path for path in (Path(home), *files) if not os.access(path, os.R_OK)]
    closed_paths = [path for path in paths if path.exists()]  # not just renamed
    if closed_paths or not os.access(home, os.X_OK):
        raise P4WardenError(
            f"{[*closed_paths, home][0]}: this account cannot read the decision log; run the "
            "report as p4d's account"
        )


class DecisionReader:
    """A single reading; the attributes describe the parts read so far."""

    def __init__(self, home: str, since_s: float) -> None:
        self._home, self._since_s = home, since_s
        self._log = WholeDecisionLog(home, since_s)
        self._no_decisions = self.unwritten_count = self.unlogged_count = 0

    @property
    def bad_lines(self) -> int:
        return self._log.bad_lines + self._no_decisions

    @property
    def problems(self) -> list[str]:
        return self._log.problems

    def decisions(self) -> Iterator[Decision]:
        """Yield the decisions in the log since the start time, then those not yet in it.

        Decisions written between the two readings are missing; in the other order they would count
        twice.
        """
        # Lines before the start time may have the program of decisions counted after it.
        for one in completed(itertools.chain(self._logged(), self._unwritten())):
            if one.time_s >= self._since_s:
                yield one

    def _logged(self) -> Iterator[Decision]:
        for record in self._log.records():
            one = decision(record)
            self._no_decisions += one is None
            if one:
                yield one

    def _unwritten(self) -> Iterator[Decision]:
        counts = self._counts()
        self.unlogged_count = counts.get("unlogged", 0)
        for one in filter(None, map(unwritten_decision, counts.get("owed", ()))):
            self.unwritten_count += one.times if one.time_s >= self._since_s else 0
            yield one

    def _counts(self) -> dict[str, Any]:
        try:
            return gate_counts.counts(self._home) or {}
        except gate_program.GateError as error:
            line = f"Decisions not yet written to the log are left out: {error}"
            self._log.problems.append(own_program.named_in(line))
            return {}

    def facts(self) -> dict[str, Any]:
        return {
            "files": self._log.files,
            "bad_lines": self.bad_lines,
            "owed": self.unwritten_count,
            "unlogged": self.unlogged_count,
            "problems": self._log.problems,
        }

    def lines(self) -> Iterator[str]:
        yield f"{amount(self._log.files, 'file')} of the decision log read"
        if self.unwritten_count:
            yield f"Includes {amount(self.unwritten_count, 'decision')} not yet written to the log"
        if self.unlogged_count:
            yield (
                f"{amount(self.unlogged_count, 'decision')} never written to the log: too many "
                "kinds came at the same time"
            )
        if self.bad_lines:
            yield f"{amount(self.bad_lines, 'line')} of the log skipped: not a decision"
        yield from self._log.problems
