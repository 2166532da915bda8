from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.asking import gate_program
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.home import decision_log, gate_counts, own_program
from p4warden.home.decision_log import WholeDecisionLog

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        self.unwritten_count = self.unlogged_count = 0

    @property
    def problems(self) -> list[str]:
        return self._log.problems

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the log from the start time on, then those not yet in it.

        Decisions written between the two readings are missing; in the other order they would count
        twice.
        """
        yield from self._log.lines()
        counts = self._counts()
        self.unlogged_count = counts.get("unlogged", 0)
        for record in gate_counts.owed_records(counts):
            self.unwritten_count += record["count"] if record["time"] >= self._since_s else 0
            yield json.dumps(record).encode()

    def _counts(self) -> dict[str, Any]:
        try:
            return gate_counts.counts(self._home) or {}
        except gate_program.GateError as error:
            line = f"Decisions not yet written to the log are left out: {error}"
            self._log.problems.append(own_program.named_in(line))
            return {}

    def facts(self, bad_lines: int) -> dict[str, Any]:
        return {
            "files": self._log.files,
            "bad_lines": bad_lines,
            "owed": self.unwritten_count,
            "unlogged": self.unlogged_count,
            "problems": self._log.problems,
        }

    def remarks(self, bad_lines: int) -> Iterator[str]:
        yield f"{amount(self._log.files, 'file')} of the decision log read"
        if self.unwritten_count:
            yield f"Includes {amount(self.unwritten_count, 'decision')} not yet written to the log"
        if self.unlogged_count:
            yield (
                f"{amount(self.unlogged_count, 'decision')} never written to the log: too many "
                "kinds came at the same time"
            )
        if bad_lines:
            yield f"{amount(bad_lines, 'line')} of the log skipped: not a decision"
        yield from self._log.problems
