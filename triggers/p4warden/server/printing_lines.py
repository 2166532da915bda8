"""Lines of other tools whose triggers print when they allow a command that p4warden asks.

Only commands that such a line is about are tried, each with arguments that cost the server little.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import P4

from p4warden.core.printable import cut, printable
from p4warden.server.questions import local_depot, said
from p4warden.table.triggers_table import entries, line_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from p4warden.table.merge import Owner
    from p4warden.table.triggers_table import TriggerLine

_NAME = "p4warden-none"
_NOWHERE = "//{depot}/p4warden/of/a/path/that/is/not/there"
QUESTIONS: dict[str, tuple[str, ...]] = {
    "branch": ("-o", _NAME),
    "branches": ("-m", "1"),
    "changes": ("-m", "1", _NOWHERE),
    "client": ("-o", _NAME),
    "clients": ("-m", "1"),
    "configure": ("show", "security"),
    "depot": ("-o", _NAME),
    "depots": (),
    "dirs": (_NOWHERE,),
    "files": (_NOWHERE,),
    "groups": ("-m", "1"),
    "have": (_NOWHERE,),
    "info": ("-s",),
    "label": ("-o", _NAME),
    "labels": ("-m", "1"),
    "monitor": ("show",),
    "opened": ("-a", "-m", "1"),
    "property": ("-l", "-n", _NAME),
    "protect": ("-o",),
    "protects": ("-m",),
    "servers": (),
    "spec": ("-o", "client"),
    "stream": ("-o", "//{depot}/p4warden"),
    "streams": ("-m", "1"),
    "triggers": ("-o",),
    "user": ("-o",),
    "users": ("-m", "1"),
}


class PrintingLine(NamedTuple):
    """Text that p4d passed on for a command, and the lines of which at least one printed it."""

    lines: tuple[TriggerLine, ...]
    command: str
    text: str

    def words(self) -> str:
        names = " or ".join(f"{one.name} ({one.type} {one.path})" for one in self.lines)
        line = "the line" if len(self.lines) == 1 else "one of the lines"
        return f'{line} {printable(names)} prints when p4 {self.command} runs: "{cut(self.text)}"'


REMEDY = (
    "p4warden skips the text, other programs take it for an answer: let the program of that line "
    "print only when it refuses"
)


class _Answer(NamedTuple):
    """`lines` were called in this order, but those after a command only if `succeeded`."""

    command: str
    lines: tuple[TriggerLine, ...]
    texts: list[str]
    succeeded: bool

    def printing(self, silent: Collection[TriggerLine]) -> Iterator[PrintingLine]:
        if len(self.texts) == len(self.lines):
            for line, text in zip(self.lines, self.texts, strict=True):
                yield PrintingLine((line,), self.command, text)
        elif self.texts:
            lines = dict.fromkeys(line for line in self.lines if line not in silent)
            yield PrintingLine((*lines,) or self.lines, self.command, self.texts[0])


def found(p4: P4.P4, form: str, owner: Owner) -> list[PrintingLine]:
    """Return the lines of other tools in a triggers table that print, each once."""
    rows = (line_in(row) for row in entries(form) if not owner.has(row))
    others = [line for line in rows if line]
    called = {command: (*_called(others, command),) for command in QUESTIONS}
    answers = [*_answers(p4, {command: lines for command, lines in called.items() if lines})]
    silent = {line for one in answers if one.succeeded and not one.texts for line in one.lines}
    printing: list[PrintingLine] = []
    candidates = (line for answer in answers for line in answer.printing(silent))
    for candidate in sorted(candidates, key=lambda one: len(one.lines)):
        if not any({*candidate.lines} & {*one.lines} for one in printing):
            printing.append(candidate)
    return printing


def _called(others: list[TriggerLine], command: str) -> Iterator[TriggerLine]:
    """Yield the lines that a command calls, in their order, which is that of their texts."""
    commands = [line for line in others if line.type == "command"]
    yield from (line for line in commands if _matches(line.path, f"pre-user-{command}"))
    if "-o" in QUESTIONS[command]:
        yield from (one for one in others if (one.type, one.path) == ("form-out", command))
    yield from (line for line in commands if _matches(line.path, f"post-user-{command}"))


def _matches(expression: str, event: str) -> bool:
    try:
        return re.search(expression, event, re.ASCII) is not None
    except re.error:
        return False


def _answers(p4: P4.P4, called: dict[str, tuple[TriggerLine, ...]]) -> Iterator[_Answer]:
    if not called:
        return
    depot = local_depot(p4)
    with p4.at_exception_level(P4.P4.RAISE_NONE):
        for command, lines in called.items():
            words = (word.format(depot=depot) for word in QUESTIONS[command])
            texts = said(p4, command, *words).printed
            yield _Answer(command, lines, texts, not p4.errors)
