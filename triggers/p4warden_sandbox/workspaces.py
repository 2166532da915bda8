# Local paths are those of Unix, and only the client's Root is used, not its AltRoots. The
# characters `@ # % *` of a file's name are written as `%40 %23 %25 %2A` in depot and client paths
# (`p4 help add`, -f).

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.depot_paths import depot_of, pattern
from p4warden_sandbox.file_messages import (
    NEEDS_CLIENT,
    NO_SUCH_CLIENT,
    NOT_UNDER_ROOT,
    REFER_CLIENT,
)
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.revisions import Revision, RevisionSuffix, split_revision
from p4warden_sandbox.views import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from p4warden_sandbox.call import Call
    from p4warden_sandbox.specs import Spec

_ENCODED = {"%": "%25", "@": "%40", "#": "%23", "*": "%2A"}


class FileArgument(NamedTuple):
    text: str
    path: str
    is_in_client: bool
    revision_suffix: RevisionSuffix


class Workspace:
    """A client that does not exist maps no files."""

    def __init__(self, call: Call, name: str | None = None) -> None:
        self._call = call
        self.name = call.client if name is None else name
        self._spec = call.store.find("client", self.name)
        lines = self._spec.lines("View") if self._spec else []
        limit = self._spec.lines("LimitView") if self._spec else []
        self._view = View(lines, case_sensitive=call.store.case_sensitive, limit=limit)
        self._limits = _limits(call)

    def require(self) -> Spec:
        """Raise CommandError if the client does not exist."""
        if self._spec is None:
            raise CommandError(NO_SUCH_CLIENT, type="Client", name=self.name, command="client")
        return self._spec

    def submits(self, file: str) -> bool:
        """Files of a stream depot are submitted from a client of a stream alone."""
        depot = self._call.store.find("depot", depot_of(file) or "")
        is_in_stream = depot is not None and depot.get("Type") == "stream"
        return not is_in_stream or bool(self.require().get("Stream"))

    def client_path(self, file: str) -> str | None:
        """Return `//client/...`; None if the file is not mapped."""
        return self._view.translate(file)

    def depot_path(self, path: str) -> str | None:
        return self._view.reverse(path)

    def local_path(self, file: str) -> str | None:
        client_path = self.client_path(file)
        return None if client_path is None else self.on_disk(client_path)

    def on_disk(self, client_path: str) -> str:
        relative_path = client_path.split("/", 3)[3]
        for character, encoded in reversed(_ENCODED.items()):
            relative_path = relative_path.replace(encoded, character)
        return posixpath.join(self.require().get("Root"), relative_path)

    def argument(self, text: str) -> FileArgument:
        """Parse a depot, client or local path; raise CommandError if it is in neither."""
        path, at = split_revision(text)
        if not path.startswith("//"):
            return FileArgument(
                text, self._in_client(text, path), is_in_client=True, revision_suffix=at
            )
        store, depot = self._call.store, depot_of(path)
        if depot is None or store.find("depot", depot) is not None:
            return FileArgument(text, path, is_in_client=False, revision_suffix=at)
        if self._spec is None or store.fold(depot) != store.fold(self.name):
            raise CommandError(REFER_CLIENT, path=text, client=self.name)
        return FileArgument(text, path, is_in_client=True, revision_suffix=at)

    def files(self, argument: FileArgument) -> Iterator[Revision]:
        """A revision may be a deletion."""
        depots = self._call.server.files
        if not argument.is_in_client:
            revisions = depots.files(argument.path, argument.revision_suffix)
            yield from (r for r in revisions if self.is_within(r.file))
            return
        matches, fold = self.matcher(argument), self._call.store.fold
        file_paths = (
            r for path in self._view.sources for r in depots.files(path, argument.revision_suffix)
        )
        by_name = {fold(revision.file): revision for revision in file_paths}
        yield from (by_name[name] for name in sorted(by_name) if matches(by_name[name].file))

    def is_within(self, file: str) -> bool:
        """Tell whether a depot path matches a `limitMap` of the p4 command; True without any."""
        return not self._limits or any(limit(file) for limit in self._limits)

    def matcher(self, argument: FileArgument) -> FileMatcher:
        return FileMatcher(self, argument, case_sensitive=self._call.store.case_sensitive)

    def _in_client(self, text: str, path: str) -> str:
        """`path` is absolute or relative to the user's directory."""
        if self._spec is None:
            raise CommandError(NEEDS_CLIENT, arg=text, client=self.name)
        root = posixpath.normpath(self._spec.get("Root"))
        full = posixpath.normpath(posixpath.join(self._call.request.text("cwd"), path))
        if not f"{full}/".startswith(root.rstrip("/") + "/"):
            raise CommandError(NOT_UNDER_ROOT, path=full, root=root)
        return f"//{self.name}/{posixpath.relpath(full, root)}"


class FileMatcher:
    def __init__(
        self, workspace: Workspace, argument: FileArgument, *, case_sensitive: bool
    ) -> None:
        self._workspace = workspace
        self._in_client = argument.is_in_client
        self._matches = pattern(argument.path, case_sensitive=case_sensitive).fullmatch

    def __call__(self, file: str) -> bool:
        path = self._workspace.client_path(file) if self._in_client else file
        is_meant = path is not None and self._matches(path) is not None
        return is_meant and self._workspace.is_within(file)


def _limits(call: Call) -> list[Callable[[str], object]]:
    """Limits are in the variables limitMap0, limitMap1 ... (inferred from P4Python's tests)."""
    case_sensitive = call.store.case_sensitive
    return [
        pattern(path, case_sensitive=case_sensitive).fullmatch
        for name, path in call.request.pairs
        if name.startswith("limitMap")
    ]
