"""Yield the paths that a form or submit adds to p4d's tables, and measure their lengths."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.forms import view_lines
from p4warden.forms.depot_path import first_wildcard, split_words
from p4warden.forms.view_lines import MalformedLine, ViewLinePath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Event, Form, SubmittedFile

DEPOTS_PATH = "The path"
"""Value of `LeadingPath.place`, shown in refusals, for the root path `//NAME/` of a depot form."""

# Types of lines in a stream's Paths that name its own files, not those of another stream.
_OWN_PATH_KINDS = ("share", "isolate")


class LeadingPath(NamedTuple):
    """A path in an event's form or a submit's new file, to measure its length before a wildcard.

    Attributes:
        item: the form line that contains the path, or the path itself.
        place: the location of the path, for display, such as `View line 3` or `The new file`.
        path: the path, without flag and revision.
        depot: the depot whose limit applies to this path; for a client path, the depot of the
            depot path in the same line.
        side: 0 for a depot path, 1 for a client path, None for a path of a depot form.
        parsed_line: the parsed view, Paths or Components line with the path; None for other paths.
        own_paths_line: the type and the path of a stream's own Paths line; empty for other paths.
        action: the action of a submit's new file, such as `add`; None for a path of a form.
    """

    item: str
    place: str
    path: str
    depot: str
    side: int | None = 0
    parsed_line: ViewLinePath | None = None
    own_paths_line: tuple[str, ...] = ()
    action: str | None = None

    @property
    def length_bytes(self) -> int:
        """Length in bytes of the path's text before its first wildcard, else of the whole path."""
        return length_bytes(literal_start(self.path))

    @property
    def measured_part(self) -> str:
        """Words after the length in bytes in a message: ` before its first wildcard`, or empty."""
        return " before its first wildcard" if first_wildcard(self.path) else ""

    @property
    def is_of_depot(self) -> bool:
        """Whether the path belongs to a depot form: the depot's own path, or a line of its Map."""
        return self.side is None

    @property
    def kind(self) -> str:
        """Word before `path` in messages: `depot ` for a path beside a client path, or empty."""
        has_two = self.parsed_line is not None and self.parsed_line.client_path is not None
        return "depot " if has_two and self.side == 0 else ""


def literal_start(path: str) -> str:
    """Return the text of a path before its first wildcard; the whole path without one."""
    wildcard = first_wildcard(path)
    return path[: wildcard[0]] if wildcard else path


def length_bytes(text: str) -> int:
    """Return the length of a text in bytes: UTF-8, with undecodable bytes as they were sent."""
    return len(text.encode("utf-8", "surrogateescape"))


def added_paths(event: Event) -> Iterator[LeadingPath | MalformedLine]:
    """Yield the paths in an event's form, except excluded ones, or the new files of a submit.

    View and Components lines with a wrong number of words are yielded as `MalformedLine`.
    """
    if event.form is None or event.type is None:
        yield from (_of_new_file(file) for file in event.files or () if file.is_new)
    elif event.type == "depot":
        yield from _of_depot(event.form, event.name or "")
    else:
        if event.type == "stream":
            yield from _own_paths(event.form, event.name or "")
        for line in view_lines.view_line_paths(event.form, event.type):
            yield from (line,) if isinstance(line, MalformedLine) else _sides(line)


def _of_new_file(file: SubmittedFile) -> LeadingPath:
    path, depot = file.path, depot_of(file.path)
    return LeadingPath(path, "The new file", path, depot, action=file.action)


def _sides(line: ViewLinePath) -> Iterator[LeadingPath]:
    sides = (line.path,) if line.client_path is None else (line.path, line.client_path)
    depot = depot_of(line.path)
    for side, path in enumerate(sides):
        yield LeadingPath(line.line.text, line.place, path, depot, side, line)


def _of_depot(form: Form, name: str) -> Iterator[LeadingPath]:
    """Yield the paths that a depot form adds: `//NAME/` and the directories of its Map field."""
    yield LeadingPath(f"//{name}/", DEPOTS_PATH, f"//{name}/", name, side=None)
    for line in form.lines("map"):
        path = split_words(line.text)[0]
        yield LeadingPath(line.text, f"Map line {line.number}", path, name, side=None)


def _own_paths(form: Form, stream: str) -> Iterator[LeadingPath]:
    """Yield the paths that a stream's Paths field adds for its own files, not imported ones."""
    for line in form.lines("paths"):
        words = split_words(line.text)
        if words[0].lower() in _OWN_PATH_KINDS and len(words) > 1:
            path, place = f"{stream}/{words[1]}", f"Paths line {line.number}"
            yield LeadingPath(line.text, place, path, depot_of(stream), own_paths_line=words[:2])


def depot_of(path: str) -> str:
    """Return the name of the depot or client with which a path (`//NAME/...`) starts."""
    return path.removeprefix("//").partition("/")[0]
