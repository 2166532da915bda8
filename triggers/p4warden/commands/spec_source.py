from __future__ import annotations

import contextlib
import functools
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from rich.console import Console
from rich.progress import Progress

from p4warden.commands import facts_origin, file_counts, log_progress
from p4warden.commands.options import policy_option, together
from p4warden.commands.pace import Pace
from p4warden.core import facts as core_facts
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.records import Facts
from p4warden.home import active_policy, trusted_files
from p4warden.index import contents
from p4warden.index.build import IndexFileError, NotWholeError
from p4warden.policy.judged import judging_by
from p4warden.server import specs as live
from p4warden.server.connection import Address, connected
from p4warden.server.gather_facts import gather
from p4warden.server.questions import ask
from p4warden.workbench.census import checkpoint
from p4warden.workbench.census.judging import event_of, facts_for_specs
from p4warden.workbench.census.spec_form import DEPOT_TYPES
from p4warden.workbench.checkpoint.reading import KeptFiles, Sources, TemporaryIndex, read
from p4warden.workbench.checkpoint.small_tables import SmallTables

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from contextlib import AbstractContextManager

    import P4

    from p4warden.asking.judge import Judge
    from p4warden.commands.file_counts import FileCounts
    from p4warden.core.specs import Groups, Spec
    from p4warden.policy.compiled import Policy

NO_FACTS = "none"
"""In place of a file of facts: none, not those in the home folder either."""
_LOSSES = {
    "depot": "depots may be missing",
    "domain": "specs may be missing",
    "group": "groups may lack members",
    "template": "streams may lack paths",
    "view": "views may lack lines",
}
"""The effect on a census of records in an unknown format, by their table in the checkpoint."""


class Source(NamedTuple):
    """Specs for a census or `rightsize` to judge, with the facts and groups to judge by.

    Attributes:
        total: an upper bound of the number of specs.
        specs: may be called again if they are those of a checkpoint.
        is_complete: False if the checkpoint or a journal has records of unknown shape.
        file_counts: file counts from an index; None without an index.
        built: the index of the checkpoint, if one was built.
    """

    specs: Callable[[], Iterator[Spec]]
    total: int
    facts: Facts
    groups: Groups
    faults: list[str]
    notes: tuple[str, ...] = ()
    is_complete: bool = True
    file_counts: FileCounts | None = None
    built: TemporaryIndex | None = None

    @property
    def index_file(self) -> str | None:
        return self.file_counts.index_file if self.file_counts else None

    def event(self, spec: Spec) -> dict[str, Any]:
        """Return the event of a spec saved by its owner."""
        files = self.file_counts.judged_files(spec) if self.file_counts else None
        return event_of(spec, self.groups.of(spec.owner), files)

    def judging(
        self, policy: Policy, *flags: str, baseline: str | None = None
    ) -> AbstractContextManager[Judge]:
        facts = facts_for_specs(self.facts)
        return judging_by(policy, facts, baseline=baseline, index=self.index_file, flags=flags)


source_options = together(
    click.argument("journals", nargs=-1, metavar="[JOURNAL]..."),
    policy_option,
    click.option(
        "--checkpoint",
        "checkpoints",
        multiple=True,
        metavar="FILE",
        help="Read this checkpoint, then the JOURNALs in order, instead of a server; plain or "
        "gzip.",
    ),
)


class Selection(NamedTuple):
    """The source of specs that the command line of `census` or `rightsize` selects.

    Attributes:
        facts_file: a file of facts to judge by, or `NO_FACTS`; None for the home folder's facts.
        journals: the journals after the checkpoint, in their order.
        index_file: an index for counting files; None for the home's, or one built from the
            checkpoint.
        rate_per_s: the largest number of forms to read, or commands to send, per second.
        clients: the only clients to read from a server; empty for all specs.
        kept: what an index of the checkpoint keeps for `rightsize`; None for nothing.
    """

    types: Collection[str]
    home: str
    facts_file: str | None
    checkpoints: tuple[str, ...]
    journals: tuple[str, ...]
    index_file: str | None
    address: Address
    rate_per_s: int
    clients: tuple[str, ...] = ()
    kept: KeptFiles | None = None


def progress() -> Progress:
    """Return a progress bar on standard error that is visible only on a terminal."""
    console = Console(stderr=True)
    return Progress(console=console, transient=True, disable=not console.is_terminal)


def open_source(selection: Selection) -> AbstractContextManager[Source]:
    """Context manager: open and yield the source of specs that the command line selects."""
    return _offline(selection) if selection.checkpoints else _live(selection)


@contextlib.contextmanager
def _live(selection: Selection) -> Iterator[Source]:
    with connected(selection.address) as p4:
        facts = _facts(selection) or gather(p4)
        depots = {row["name"]: row["type"] for row in ask(p4, "depots")}
        facts = core_facts.with_depots(facts, depots)
        rows = [live.ListedSpec("client", name, None) for name in selection.clients]
        rows = rows or live.listed_specs(p4, selection.types)
        faults: list[str] = []
        pace = Pace(10**9 // selection.rate_per_s, time.monotonic_ns, time.sleep)
        specs = functools.partial(live.read, p4, rows, pace.wait, faults)
        groups = live.groups(p4, case_sensitive=facts.case_sensitive)
        notes = [_about_form_out(p4)]
        with contextlib.ExitStack() as exit_stack:
            index = selection.index_file or trusted_files.index_path(selection.home)
            counts = _file_counts(index, facts, notes, exit_stack)
            yield Source(specs, len(rows), facts, groups, faults, tuple(notes), file_counts=counts)


def _about_form_out(p4: P4.P4) -> str:
    return (
        f"every spec is read with p4 TYPE -o as {p4.user}, and the server's form-out triggers run "
        "for each; rules that fill in shown forms need an exemption for this account, otherwise "
        "their suggestions are judged instead of the stored specs"
    )


@contextlib.contextmanager
def _offline(selection: Selection) -> Iterator[Source]:
    notes: list[str] = []
    with contextlib.ExitStack() as exit_stack:
        facts = _facts(selection)
        is_of_home = facts is not None and not selection.facts_file
        tables, index, built = _read(selection, facts, notes, exit_stack)
        notes += built.program.notes() if built else []
        facts = facts or _facts_of(index, notes)
        if is_of_home:
            _refuse_other_server(selection.home, facts, tables, index)
            notes.append(facts_origin.facts_note(selection.home))
        notes += _unreadable(tables)
        counts = _file_counts(index, facts, notes, exit_stack)
        if counts:
            counts = counts._replace(is_current=selection.index_file is None)
        yield Source(
            functools.partial(checkpoint.specs, tables, selection.types),
            checkpoint.count(tables, selection.types),
            _with_directories(facts, tables, counts and counts.index_file),
            checkpoint.groups(tables),
            [],
            tuple(notes),
            not tables.unread.total(),
            counts,
            built,
        )


def _read(
    selection: Selection, facts: Facts | None, notes: list[str], exit_stack: contextlib.ExitStack
) -> tuple[SmallTables, str | None, TemporaryIndex | None]:
    """Return the tables, the index for counting files, if it can be built, and the one built."""
    sources = Sources(selection.checkpoints, selection.journals)
    is_sensitive = facts.case_sensitive if facts else None

    def tables() -> SmallTables:
        new = SmallTables(checkpoint.TABLES, case_sensitive=is_sensitive)
        return exit_stack.enter_context(contextlib.closing(new))

    small, built = tables(), None
    if selection.index_file is None or selection.kept:
        try:
            new = file_counts.temporary_index(sources, small, selection.kept)
            built = exit_stack.enter_context(new)
        except IndexFileError as error:
            if isinstance(error, NotWholeError) or selection.kept:
                raise
            notes.append(f"files are not counted: {error}")
            small = tables()
    if built is None:
        with log_progress.progress() as bar:
            read(sources, small, bar)
    _refuse_other_order(selection.journals, small)
    return small, selection.index_file or (built.file if built else None), built


def _refuse_other_order(journals: tuple[str, ...], tables: SmallTables) -> None:
    """Only the journals': a checkpoint of an offline database may be later than its journal."""
    latest_s = 0
    for file in tables.files[len(tables.files) - len(journals) :]:
        if file.began_s is not None:
            if file.began_s < latest_s:
                raise P4WardenError(
                    f"{file.path}: is older than the one before; specify the oldest first"
                )
            latest_s = file.began_s


def _file_counts(
    index: str | None, facts: Facts, notes: list[str], exit_stack: contextlib.ExitStack
) -> FileCounts | None:
    if index is None:
        return None
    try:
        counts = file_counts.by_index(index, case_sensitive=facts.case_sensitive)
        return exit_stack.enter_context(counts)
    except IndexFileError as error:
        notes.append(f"files are not counted: {error}")
        return None


def _facts_of(index: str | None, notes: list[str]) -> Facts:
    """Return facts without depots, with the case handling of the index.

    Without an index, or if its case handling is undetermined, the facts are those of a
    case-sensitive server, and a note says so.
    """
    own = "either" if index is None else contents.case(index)
    if own == "either":
        notes.append(
            "without facts of the server, names are compared with case (specify --facts FILE)"
        )
    return Facts(own != "folded")


def _with_directories(facts: Facts, tables: SmallTables, index: str | None) -> Facts:
    """Return facts with the checkpoint's depots; new depots get their directories by the index."""
    facts_with_depots = core_facts.with_depots(facts, checkpoint.depots(tables), "the checkpoint")
    if index is None:
        return facts_with_depots
    depots_by_index = contents.depots(index, DEPOT_TYPES)
    depots = {
        name: depots_by_index.get(name, depot) if name not in facts.depots else depot
        for name, depot in facts_with_depots.depots.items()
    }
    return facts_with_depots._replace(depots=depots)


def _refuse_other_server(home: str, facts: Facts, tables: SmallTables, index: str | None) -> None:
    of_checkpoint = _with_directories(facts._replace(depots={}), tables, index)
    case = "either" if index is None else contents.case(index)
    facts_origin.refuse_other_server(home, facts, of_checkpoint, case)


def _unreadable(tables: SmallTables) -> Iterator[str]:
    for table, number in tables.unread_counts().items():
        if number:
            yield _left_out(table, number)
    unloaded = checkpoint.unloaded(tables)
    if unloaded:
        verb, their = ("is", "its view") if unloaded == 1 else ("are", "their views")
        specs = amount(unloaded, "unloaded spec")
        yield f"{specs} {verb} left out: the checkpoint does not contain {their}"


def _left_out(table: str, number: int) -> str:
    records = amount(number, f"record of db.{table} has", f"records of db.{table} have")
    verb = "was" if number == 1 else "were"
    return f"{records} an unknown format and {verb} left out; {_LOSSES[table]}"


def _facts(selection: Selection) -> Facts | None:
    if selection.facts_file == NO_FACTS:
        return None
    if selection.facts_file:
        return facts_origin.facts_of_file(selection.facts_file)
    return active_policy.facts_if_any(selection.home)
