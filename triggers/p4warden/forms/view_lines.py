"""Yield the depot paths in the lines of a client, branch, label or stream form.

The position of the depot path in a line differs by form (p4 help client, branch, label, stream): a
client view maps depot paths to client paths, a branch maps depot paths to depot paths, a label
lists them, a stream imports them. A stream's own paths are left out: p4d keeps them within the
stream.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.plural import amount
from p4warden.core.records import FormLine
from p4warden.forms.depot_path import split_flag, split_words, view_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Form

# Number of words in a view line, by form type (spec definitions in Perforce's C++ API).
_VIEW_WORDS = {"client": 2, "branch": 2, "label": 1}
_VIEW_PARTS = {
    "client": "a depot path and a client path",
    "branch": "two depot paths",
    "label": "a depot path",
}
DEFAULT_VIEW_LINE = 0
"""Line number of the line that stands for p4d's default view; those of a form begin with 1."""
_MAX_EXAMPLE_CHARACTERS = 160
_COMPONENT = "a type, a directory and a stream, for example readonly lib //streams/lib"
# Types of lines in a stream's Paths that import files from outside of the stream.
_IMPORTS = ("import", "import+", "import&")
_COMPONENT_WORDS = (3, 4)
_EXCLUSION = ("-", '"-')
# Types of forms that p4d may give a view of all depots if they have none (p4 help client, branch).
# A label without a view is legal: it names a changelist.
_DEFAULT_VIEWS = ("client", "branch")


class ViewLinePath(NamedTuple):
    """A depot path in a line of a form.

    Attributes:
        line: the line of the form.
        field: the field that contains the line.
        flag: `+`, `&` or nothing.
        path: the depot path, without flag and revision.
        client_path: the client path on the right side of a client view's line, else None.
        side: the side of a branch's line that holds the path, `left` or `right`; else nothing.
        other_path: the path on the other side of a branch's line or a stream's Paths line; else
            None.
    """

    line: FormLine
    field: str
    flag: str
    path: str
    client_path: str | None = None
    side: str = ""
    other_path: str | None = None

    @property
    def place(self) -> str:
        """The location of the depot path in its form, for display, such as `View line 3`."""
        place = _place(self.field, self.line)
        return f"{place}, {self.side} side" if self.side else place


class MalformedLine(NamedTuple):
    """A line of a form's View or Components that p4d could not read, with the reason."""

    line: FormLine
    field: str
    problem: str

    @property
    def place(self) -> str:
        """The location of the malformed line in its form, for display: `View line 3`."""
        return _place(self.field, self.line)


def view_line_paths(form: Form, form_type: str) -> Iterator[ViewLinePath | MalformedLine]:
    """Yield the depot paths of a form's include lines, and lines with a wrong number of words.

    A client of a stream gets its view from the stream when it is saved (p4 help client), so the
    view in its form is ignored and yields nothing. A form without include lines yields the line of
    all depots that stands for p4d's default view.
    """
    if form_type == "stream":
        yield from _imports(form)
        return
    is_empty = form_type in _DEFAULT_VIEWS and not (form_type == "client" and is_of_stream(form))
    for line in _view(form, form_type):
        for parsed_line in _view_line(line, form_type, form):
            is_empty = False
            yield parsed_line
    if is_empty:
        line = FormLine(DEFAULT_VIEW_LINE, "")
        client_path = f"//{form.value('client') or ''}/..." if form_type == "client" else None
        yield ViewLinePath(line, "View", "", "//...", client_path)


def include_count(form: Form, form_type: str) -> int:
    """Return the number of include lines in a form's view; a branch's lines count twice.

    For a stream the lines that `view_line_paths` yields are counted. In other forms only the first
    characters of a line are examined, so that counting is cheap for a long view.
    """
    if form_type == "stream":
        return sum(1 for _ in _imports(form))
    sides = 2 if form_type == "branch" else 1
    return sides * sum(not line.text.startswith(_EXCLUSION) for line in _view(form, form_type))


def is_of_stream(form: Form) -> bool:
    """Tell whether a client's form names a stream, so that p4d ignores the form's View."""
    return split_words(form.value("stream") or "")[0].startswith("//")


def adds_to_inherited(form: Form) -> bool:
    """Tell whether a stream's form imports files besides those of its parent and its components.

    A stream without imports of its own has only what its parent has, whose form was judged.
    """
    if any(form.lines("components")):
        return True
    parent = (form.value("parent") or "none").strip().lower()
    inherits = (form.value("parentview") or "inherit").strip().lower() != "noinherit"
    return parent != "none" and inherits and any(True for _ in _imports(form))


def map_lines(form: Form, form_type: str) -> Iterator[tuple[str, str, str]]:
    """Yield the flag, the left and the right path of each line that p4d's map of a view has.

    The right path of a label's line, or of a line that lacks it, is the left one. A stream's form
    yields none, because its map has only paths with wildcards at their ends (p4 help stream); a
    stream's client yields none, because p4d ignores the View in its form.
    """
    for row in () if form_type == "stream" else _view(form, form_type):
        words = split_words(row.text)
        flag, path = split_flag(words[0])
        yield flag, path, words[1] if len(words) > 1 else path


def exclusions(form: Form) -> Iterator[tuple[int, str]]:
    """Yield number and depot path of each exclusion line in a form's view, in form order."""
    for line in form.lines("view"):
        flag, path = split_flag(split_words(line.text)[0])
        if flag == "-":
            yield line.number, path


def _view(form: Form, form_type: str) -> tuple[FormLine, ...]:
    """Return the lines of a form's View; empty for a stream's client, whose View p4d ignores."""
    return () if form_type == "client" and is_of_stream(form) else form.lines("view")


def _view_line(
    line: FormLine, form_type: str, form: Form
) -> Iterator[ViewLinePath | MalformedLine]:
    words = split_words(line.text)
    word_count = _VIEW_WORDS[form_type]
    if len(words) != word_count:
        of = _VIEW_PARTS[form_type]
        remedy = "put quotation marks around a path with spaces"
        if len(words) < word_count:
            remedy = f"add {_missing_path(words[0], form_type, form)}"
        problem = f"has {amount(len(words), 'word')} instead of {word_count} ({of}); {remedy}"
        yield MalformedLine(line, "View", problem)
        return
    flag, path = split_flag(words[0])
    if flag == "-":
        return
    if form_type == "branch":
        yield ViewLinePath(line, "View", flag, path, side="left", other_path=words[1])
        yield ViewLinePath(line, "View", "", words[1], side="right", other_path=path)
    else:
        yield ViewLinePath(line, "View", flag, path, words[1] if form_type == "client" else None)


def _missing_path(depot_path: str, form_type: str, form: Form) -> str:
    """Return the missing second path of a view line in words, for a client with an example."""
    if form_type != "client":
        return "the depot path of the target after that of the source"
    rest = split_flag(depot_path)[1].removeprefix("//").partition("/")[2]
    example = view_line((f"//{form.value('client') or ''}/{rest}",), unicode=False) or ""
    is_shown = rest and 0 < len(example) <= _MAX_EXAMPLE_CHARACTERS
    return f"the client path after it{f', for example {example}' if is_shown else ''}"


def _imports(form: Form) -> Iterator[ViewLinePath | MalformedLine]:
    """Yield the depot paths that a stream's form imports, and unreadable lines of Components."""
    for line in form.lines("paths"):
        words = split_words(line.text)
        if words[0].lower() in _IMPORTS and len(words) > 2:  # noqa: PLR2004 - type, path, depot path
            yield ViewLinePath(line, "Paths", "", _without_revision(words[2]), other_path=words[1])
    for line in form.lines("components"):
        words = split_words(line.text)
        if len(words) not in _COMPONENT_WORDS:
            problem = f"has {amount(len(words), 'word')} instead of 3 or 4 ({_COMPONENT})"
            yield MalformedLine(line, "Components", problem)
        else:
            # A line of Components names a whole stream, all of whose paths are imported.
            yield ViewLinePath(line, "Components", "", f"{_without_revision(words[2])}/...")


def _place(field: str, line: FormLine) -> str:
    return f"{field} line {line.number}"


def _without_revision(path: str) -> str:
    return path.partition("@")[0]
