"""Query a running server for records about some clients, and write them as a checkpoint.

The records are those by which `p4warden rightsize` finds narrower views, such as specs, the files
that the clients have, and the files below the directories of these files.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from p4warden.asking import form_text
from p4warden.commands.pace import Pace
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.index import contents
from p4warden.server.client_files import ClientFiles
from p4warden.server.connection import connected
from p4warden.workbench.rightsize import Proposal, ViewRow
from p4warden.workbench.rightsize.directory_lists import Directories
from p4warden.workbench.rightsize.partial_checkpoint import PartialCheckpoint
from p4warden.workbench.rightsize.verdict import objection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.asking.form_text import FormText
    from p4warden.asking.judge import Judge
    from p4warden.commands.spec_source import Selection, Source
    from p4warden.workbench.rightsize import SearchResult
    from p4warden.workbench.rightsize.finder import Client, RecentUse

_ESTIMATE_ERROR = 250
"""Largest error, in files, of an index's estimate for a range of paths."""


class PartOfServer(NamedTuple):
    """A part of a server's database, written as a checkpoint file.

    Attributes:
        case: the server's case handling, `sensitive` or `folded`.
        wide_directories: directories, ending in a slash, that have more files than a view may span
            or that the policy refuses in a view line; the checkpoint may lack some of their files.
        spans: the estimated number of files that each client's present view spans, by client name;
            None if unknown.
    """

    file: str
    case: str
    wide_directories: frozenset[str]
    spans: dict[str, int | None]

    def uncounted(self, proposal: Proposal) -> tuple[str, ...]:
        return tuple(name for name in proposal.directories if name in self.wide_directories)

    def without_counts(self, answer: SearchResult) -> SearchResult:
        """Return a client's result without `least_files`, which needs the whole database.

        `files`, the number of files that the present view spans, comes from the index. A reason
        that names `least_files` is replaced.
        """
        reason = answer.reason
        if answer.proposal is None and answer.least_files is not None:
            reason = "the directories of its files alone span more files than are allowed"
        return answer._replace(files=self.spans[answer.client], least_files=None, reason=reason)


class PartRequest(NamedTuple):
    """`judge` answers with all findings, without a baseline."""

    clients: dict[str, Client]
    judge: Judge
    recent_use: RecentUse | None


def write_part(
    folder: str, selection: Selection, source: Source, request: PartRequest, notes: list[str]
) -> PartOfServer:
    """Query a server about some clients, one command after another, and write a checkpoint.

    Raises:
        P4WardenError: the server refuses, or the files of a client's view have no limit.
    """
    file = str(Path(folder, "part"))
    too_wide: set[bytes] = set()
    spans: dict[str, int | None] = {}
    pace = Pace(10**9 // selection.rate_per_s, time.monotonic_ns, time.sleep)
    with connected(selection.address) as p4, Path(file).open("wb") as to:
        queries = _Queries(
            ClientFiles(p4, pace.wait), PartialCheckpoint(to), source, request.judge
        )
        for name, client in request.clients.items():
            fields = dict(client.spec.fields)
            # The lines of a stream client's own view are those of the stream.
            stream = fields.pop("stream", None)
            form = form_text.read(request.judge, fields, "client")
            spans[name] = form.files
            # Without a LimitView, the owner of a stream's client gets advice alone.
            if stream and not source.facts.limit_view:
                queries.checkpoint.client(client.spec.name, form)
            else:
                too_wide |= queries.about(client, form, request.recent_use)
        queries.checkpoint.end()
        notes.append(_commands_note(queries.files))
    case = "sensitive" if source.facts.case_sensitive else "folded"
    names = frozenset(path.decode("utf-8", "backslashreplace") for path in too_wide)
    return PartOfServer(file, case, names, spans)


class _Queries(NamedTuple):
    files: ClientFiles
    checkpoint: PartialCheckpoint
    source: Source
    judge: Judge

    def about(self, client: Client, form: FormText, recent_use: RecentUse | None) -> set[bytes]:
        """Query a client's records and write them; return the directories not written completely.

        These directories have too many files, or the policy refuses view lines that map them.
        """
        spec, question = client.spec, client.question
        if question.max_files is None:
            raise P4WardenError(
                f"the policy has no limit on the files of a view (client {spec.name}); set one "
                "with --max-files N"
            )
        self.checkpoint.client(spec.name, form)
        directories = self._needed_directories(spec.name, form_text.value(form.fields, "host"))
        if recent_use:
            since = time.strftime("%Y/%m/%d", time.localtime(recent_use.since_s))
            self.files.submitted(
                spec.name,
                since,
                lambda change, time_s, paths: self.checkpoint.submitted(
                    change, time_s, spec.name, paths
                ),
            )
        most = question.max_files
        wide = set(self._wide_by_index(directories, most))
        return set(
            directories.incomplete(
                lambda path: self.files.below(path, most + 1, self.checkpoint.file),
                most,
                lambda path: path in wide or self._is_refused(client, path),
            )
        )

    def _needed_directories(self, client: str, host: str | None) -> Directories:
        directories = Directories()

        def have(depot: bytes, client_path: bytes) -> None:
            self.checkpoint.have(depot, client_path)
            directories.add(depot)

        def opened(depot: bytes, client_path: bytes) -> None:
            self.checkpoint.opened(depot, client_path)
            directories.add(depot)

        self.files.have(client, host, have)
        self.files.opened(client, opened)
        return directories

    def _is_refused(self, client: Client, directory: bytes) -> bool:
        """Tell whether the policy refuses a client view line that maps this directory."""
        spec, groups = client.spec, client.groups
        path = directory.decode("utf-8", "surrogateescape")
        row = ViewRow("", f"{path}...", f"//{spec.name}/{path[2:]}...")
        proposal = Proposal(0, (path,), (row,))
        return bool(objection(self.judge, spec, groups, proposal).directories)

    def _wide_by_index(self, directories: Directories, most: int) -> Iterator[bytes]:
        if self.source.file_counts is None:
            return
        paths = list(directories.all())
        texts = (f"{path.decode('utf-8', 'surrogateescape')}..." for path in paths)
        counts = contents.counts(self.source.file_counts.index_file, texts)
        for path, files in zip(paths, counts, strict=True):
            if files >= most + _ESTIMATE_ERROR:
                yield path


def _commands_note(files: ClientFiles) -> str:
    commands = ", ".join(f"{number} x {name}" for name, number in files.commands.items())
    return f"asked the server {commands}; {amount(files.rows, 'row')} came back"
