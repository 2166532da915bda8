from __future__ import annotations

import csv
import heapq
import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import click
from rich.console import Console
from rich.text import Text

from p4warden.core import csv_cells
from p4warden.core.columns import aligned
from p4warden.core.json_lines import ascii_line
from p4warden.core.plural import amount
from p4warden.core.printable import decoded, printable_lines
from p4warden.home.last_census import plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.workbench.rightsize import SearchResult

_COUNTS = ("files", "revisions", "have")
_PLAIN = ("type", "name", "owner", "accessed", *_COUNTS, "verdict", "rule", "detail")
COLUMNS = (*_PLAIN, "fix", "reason")
MAX_SHOWN = 100
"""Maximum number of specs in the census's table: those that span most files, among equals
the most recently used. CSV and JSON have no maximum.
"""


class Output(Protocol):
    """Interface of the outputs of a census: `add` gets each spec's verdict, `end` comes last."""

    def add(self, document: dict[str, Any]) -> None:
        """Output, store or leave out the verdict on a spec, which is given as a JSON object."""

    def end(self) -> None:
        """Output the stored verdicts and the totals, if any, after the census's last verdict."""


class JsonOutput:
    """Census output as JSON lines, one object for every judged spec."""

    def add(self, document: dict[str, Any]) -> None:
        click.echo(ascii_line(document), nl=False)

    def end(self) -> None:
        """Print nothing more after the census's last line of JSON."""


class CsvOutput:
    """Census output as CSV, one row for each spec whose verdict is not `allow`."""

    def __init__(self) -> None:
        self._writer = csv.writer(sys.stdout, lineterminator="\n")
        self._writer.writerow(COLUMNS)

    def add(self, document: dict[str, Any]) -> None:
        if document["verdict"] != "allow":
            cells = [_cell(document[column]) for column in _PLAIN]
            fix = csv_cells.spec_lines(document["fix"] or "")
            self._writer.writerow((*cells, fix, _cell(document.get("reason"))))

    def end(self) -> None:
        """Print nothing more after the census's last CSV row."""


class SufficientViews(NamedTuple):
    """Narrower views for clients, to show in place of lines that could unmap their files."""

    answers: Mapping[str, SearchResult]
    view_rules: frozenset[str]

    def in_place(self, document: dict[str, Any]) -> dict[str, Any]:
        """Replace `fix` of a spec's verdict if the lines in it could unmap files.

        The new `fix` is a view that keeps the client's files in place, or None with a `reason`.
        """
        fix, keeps_files, outside_count, reason = document["fix"], False, 0, None
        field = "View"
        is_client = document["type"] == "client" and document["verdict"] != "allow"
        is_about_view = is_client and document["rule"] in self.view_rules
        answer = self.answers.get(decoded(document["name"])) if is_about_view else None
        if answer and answer.proposal:
            fix, keeps_files = "\n".join(answer.proposal.lines), True
            field, outside_count = answer.proposal.field, answer.outside_count
        elif answer and _may_lose(answer):
            fix, reason = None, answer.reason
        choice = document["choice"] if fix == document["fix"] else []
        more = {"fix": fix, "choice": choice, "keeps_files": keeps_files, "reason": reason}
        return {**document, **more, "field": field, "outside": outside_count}


def _may_lose(answer: SearchResult) -> bool:
    return answer.needed_count > 0 or answer.has_own_have


class TableOutput:
    """Census output for people: a table of specs whose verdict is not `allow`, then totals."""

    def __init__(self) -> None:
        self._specs: Counter[str] = Counter()
        self._owners: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        self._objections = 0
        self._widest_specs: list[tuple[int, str, int, dict[str, Any]]] = []

    def add(self, document: dict[str, Any]) -> None:
        self._specs[document["type"]] += 1
        if document["verdict"] == "allow":
            return
        verdict = document["verdict"], document["rule"], document["type"]
        self._owners[verdict][document["owner"] or "-"] += 1
        self._objections += 1
        entry = document["files"] or 0, document["accessed"] or "", -self._objections, document
        push = heapq.heappush if len(self._widest_specs) < MAX_SHOWN else heapq.heappushpop
        push(self._widest_specs, entry)

    def end(self) -> None:
        console = Console(highlight=False, markup=False, emoji=False)
        if self._widest_specs:
            _print_table(
                console, [document for *_, document in sorted(self._widest_specs, reverse=True)]
            )
        more = self._objections - len(self._widest_specs)
        if more:
            console.print(f"... and {more} more; --csv and --json have all of them")
        for (verdict, rule, spec_type), owners in sorted(self._owners.items()):
            line = f"{verdict} by {rule}: {_amount_of(owners.total(), spec_type)}"
            console.print(_lines(line + _owners_text(owners)), soft_wrap=True)
        amounts = ", ".join(_amount_of(number, name) for name, number in self._specs.items())
        console.print(f"judged: {amounts or 'nothing'}")


def _print_table(console: Console, documents: list[dict[str, Any]]) -> None:
    rows = [
        (
            f"{one['type']} {one['name']}",
            one["owner"] or "-",
            one["accessed"] or "-",
            *_counts(one),
            f"{one['verdict']} {one['rule']}",
        )
        for one in documents
    ]
    table = [
        ("spec", "owner", "last used", "files", "has", "verdict"),
        *(tuple(map(_lines, row)) for row in rows),
    ]
    head, *lines = aligned(table)
    console.print(Text(head, "dim"), soft_wrap=True)
    for line, one in zip(lines, documents, strict=True):
        console.print(Text(line, "bold"), soft_wrap=True)
        texts = [text for key in ("detail", "reason", "fix") if (text := one.get(key))]
        for more in "\n".join(map(_lines, texts)).split("\n"):
            console.print(Text(f"    {more}"), soft_wrap=True)
    console.print()


def _counts(document: dict[str, Any]) -> tuple[str, str]:
    files, have = document["files"], document["have"]
    return ("-" if files is None else f"{files:,}", "-" if have is None else f"{have:,}")


def _lines(text: str | None) -> str:
    return printable_lines(text or "")


def _amount_of(number: int, spec_type: str) -> str:
    return amount(number, spec_type, plural(spec_type))


def _owners_text(owners: Counter[str]) -> str:
    if len(owners) == 1:
        return f" of {next(iter(owners))}"
    [(owner, most)] = owners.most_common(1)
    return f" of {len(owners)} owners" + (f"; {owner} owns {most}" if most > 1 else "")


def _cell(value: str | int | None) -> str:
    return csv_cells.cell("" if value is None else str(value))
