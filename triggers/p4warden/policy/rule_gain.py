"""What a rule about the scope of client views would gain, by a checkpoint's index."""

from __future__ import annotations

from typing import NamedTuple

from p4warden.core.plural import amount
from p4warden.core.printable import printable


class Better(NamedTuple):
    """A setting with which the rule would save more; the numbers are as in `RuleGain`."""

    setting: str  # `min_depth` or `max_files`
    value: int
    refused: int
    files: int
    saved: int


class RuleGain(NamedTuple):
    clients: int  # of the index
    judged: int  # fewer if there are many clients, or some of streams
    refused: int  # of the judged clients
    files: int  # that the refused clients span
    saved: int  # of these, those that the widest allowed views do not span
    is_worth_it: bool
    below: str | None  # a line that is too high names it
    directories: int  # with files, on the level below it that the rule demands
    widest: str | None  # of these directories
    widest_files: int
    better: Better | None

    @property
    def words(self) -> str:
        """`would refuse 3 clients; the widest proposals save 10 of 900 files`, with the reason."""
        clients = amount(self.refused, "client")
        proposals = "proposal saves" if self.refused == 1 else "proposals save"
        return (
            f"would refuse {clients}{self._of}; the widest {proposals} {self.saved:,} of "
            f"{amount(self.files, 'file')}{self._reason}"
        )

    @property
    def advice(self) -> str:
        """`words`, and a better setting for a rule that is not worth it."""
        return self.words if self.is_worth_it else f"{self.words}; {self.remedy}"

    @property
    def remedy(self) -> str:
        if self.better is None:
            return "no deeper min_depth that was tried saves more"
        setting, value, refused, files, saved = self.better
        return (
            f"with {setting}: {value} it would refuse {amount(refused, 'client')} and save "
            f"{saved:,} of {amount(files, 'file')}"
        )

    @property
    def _of(self) -> str:
        if self.judged == self.clients:
            return ""
        return f" of the {self.judged:,} that were judged of {self.clients:,}"

    @property
    def _reason(self) -> str:
        if self.is_worth_it or self.below is None or self.widest is None:
            return ""
        below, widest = printable(self.below), printable(self.widest)
        if self.directories == 1:
            return f", because {below} has one directory, {widest}"
        return f", because {widest} has {amount(self.widest_files, 'file')} of {below}"
