"""A form or a submit -> the paths it puts into the server's tables, and how long they lead."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.forms import view_lines
from p4warden.forms.depot_path import WILDCARD, split_words
from p4warden.forms.view_lines import Malformed, Mapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Event, Form

# Types of a stream's paths that are its own files, not another's.
_OWN = ("share", "isolate")


class Leading(NamedTuple):
    """A path, by its text before the first wildcard.

    Attributes:
        item: the line that it stands in, or the path itself.
        place: where it stands, for people.
        path: the path, without flag and revision.
        depot: the depot whose limit it has; of a client path, the depot of the path beside it.
        side: 0 for a depot path, 1 for a client path, None for a path in no view.
        mapped: the line of a view that it stands in, or None.
        own: the type and the path of a stream's own, else nothing.
    """

    item: str
    place: str
    path: str
    depot: str
    side: int | None = 0
    mapped: Mapped | None = None
    own: tuple[str, ...] = ()

    @property
    def length_bytes(self) -> int:
        """How many bytes lead."""
        return length_bytes(leading(self.path))

    @property
    def measured(self) -> str:
        """The measured part of the path, in words that follow the number of bytes."""
        whole = "before its first wildcard" if WILDCARD.search(self.path) else "in all"
        return f"{whole} on the client side" if self.side == 1 else whole


def leading(path: str) -> str:
    """Return what stands before a path's first wildcard; all of it without one."""
    wildcard = WILDCARD.search(path)
    return path[: wildcard.start()] if wildcard else path


def length_bytes(text: str) -> int:
    """Return how many bytes the server stores for a text."""
    return len(text.encode("utf-8", "surrogateescape"))


def of(event: Event) -> Iterator[Leading | Malformed]:
    """Yield the paths of an event's form in form order, or the new files of a submit."""
    if event.form is None or event.type is None:
        new = (file.path for file in event.files or () if file.is_new)
        yield from (Leading(path, "The new file", path, depot_of(path)) for path in new)
    elif event.type == "depot":
        yield from _of_depot(event.form, event.name or "")
    else:
        if event.type == "stream":
            yield from _own_paths(event.form, event.name or "")
        for line in view_lines.of(event.form, event.type):
            yield from (line,) if isinstance(line, Malformed) else _sides(line)


def _sides(line: Mapped) -> Iterator[Leading]:
    sides = (line.path,) if line.right is None else (line.path, line.right)
    depot = depot_of(line.path)
    for side, path in enumerate(sides):
        yield Leading(line.line.text, line.place, path, depot, side, line)


def _of_depot(form: Form, name: str) -> Iterator[Leading]:
    """Yield a depot's own path, which leads all of its files', and where their archives are."""
    yield Leading(f"//{name}/", "The depot's path", f"//{name}/", name, side=None)
    for line in form.lines("map"):
        path = split_words(line.text)[0]
        yield Leading(line.text, f"Map line {line.number}", path, name, side=None)


def _own_paths(form: Form, stream: str) -> Iterator[Leading]:
    """Yield the paths of a stream's own files; `mappings` has those that it imports."""
    for line in form.lines("paths"):
        words = split_words(line.text)
        if words[0].lower() in _OWN and len(words) > 1:
            path, place = f"{stream}/{words[1]}", f"Paths line {line.number}"
            yield Leading(line.text, place, path, depot_of(stream), own=words[:2])


def depot_of(path: str) -> str:
    """Return the name of a path's depot, or of its client."""
    return path.removeprefix("//").partition("/")[0]
