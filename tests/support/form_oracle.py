"""The functions of both languages about forms, asked for the same texts.

The Rust side is `triggers/gate/examples/oracle.rs`, built by cargo, over one pipe.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.records import Event, Form
from p4warden.forms import depot_path, form_editor, form_parser, leading_paths, view_lines
from p4warden.forms.client_options import with_all
from p4warden.forms.client_options import words as option_words
from p4warden.forms.depot_form import type_of
from p4warden.forms.map_rows import MAX_STEPS, Line, MapRows, has_more_rows
from p4warden.forms.new_client import is_new

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FOLDER = Path(__file__).parents[2] / "triggers" / "gate"
_BUILD = ("cargo", "build", "--quiet", "--locked", "--profile=test", "--example=oracle")
_VIEWS = ("client", "branch", "label", "stream")


class Rust:
    """The running oracle."""

    def __init__(self) -> None:
        subprocess.run(_BUILD, cwd=FOLDER, check=True)
        self._child = subprocess.Popen(
            [str(FOLDER / "target/debug/examples/oracle")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, **question: Any) -> Any:
        [answer] = self.ask_all([question])
        return answer

    def ask_all(self, questions: Sequence[dict[str, Any]]) -> list[Any]:
        """Return the answers in order; the questions are sent while answers are read."""
        assert self._child.stdout
        sender = Thread(target=self._send, args=(questions,))
        sender.start()
        lines = [self._child.stdout.readline() for _ in questions]
        sender.join()
        assert all(lines), f"the oracle died of one of {questions}"
        return [json.loads(line) for line in lines]

    def _send(self, questions: Sequence[dict[str, Any]]) -> None:
        assert self._child.stdin
        with contextlib.suppress(BrokenPipeError):
            self._child.stdin.writelines(json.dumps(one).encode() + b"\n" for one in questions)
            self._child.stdin.flush()

    def close(self) -> None:
        self._child.kill()
        self._child.communicate()


class Answers(NamedTuple):
    """The answers of both languages to one question."""

    python: Any
    rust: Any


def fields(rust: Rust, texts: Sequence[str]) -> list[Answers]:
    """Compare the problem and the fields of each form.

    Left out are forms with a capital beyond ASCII in a field's name, which Python folds.
    """
    answers = rust.ask_all([{"ask": "fields", "text": text} for text in texts])
    pairs = [Answers(_fields(text), answer) for text, answer in zip(texts, answers, strict=True)]
    return [pair for pair in pairs if all(name.lower() == name for name in pair.rust[1])]


def _fields(text: str) -> list[Any]:
    form = form_parser.parse(text)
    own = {name: [line.text for line in lines] for name, lines in form.fields.items()}
    return [form.problem, own]


def facts(rust: Rust, text: str, form_type: str, name: str) -> Answers:
    """Compare what rules use of a form; None for one that cannot be read."""
    form = form_parser.parse(text)
    own = None if form.problem else _facts(form, form_type, name)
    return Answers(own, rust.ask(ask="form", text=text, type=form_type, name=name))


def _facts(form: Form, form_type: str, name: str) -> list[Any]:
    event = Event("form-save", "2026-01-01", form_type, name, form=form)
    paths = [*map(_leading, leading_paths.added_paths(event))]
    if form_type not in _VIEWS:
        return [paths, type_of(form)]
    return [
        [*map(_view_line, view_lines.view_line_paths(form, form_type))],
        paths,
        [list(line) for line in view_lines.map_lines(form, form_type)],
        [list(line) for line in view_lines.exclusions(form)],
        view_lines.include_count(form, form_type),
        view_lines.is_of_stream(form),
        view_lines.adds_to_inherited(form),
        is_new(form),
    ]


def _view_line(line: view_lines.ViewLinePath | view_lines.MalformedLine) -> list[Any]:
    if isinstance(line, view_lines.MalformedLine):
        return [line.place, line.line.text, line.problem]
    text, path = line.line.text, line.path
    return [line.place, text, line.flag, path, line.client_path, line.other_path]


def _leading(path: leading_paths.LeadingPath | view_lines.MalformedLine) -> Any:
    if isinstance(path, view_lines.MalformedLine):
        return path.problem
    known = [path.item, path.place, path.path, path.depot, path.length_bytes]
    return [*known, path.measured_part, path.kind]


def path(rust: Rust, text: str) -> Answers:
    """Compare the span of a depot path, or its problem, and its wildcards."""
    try:
        span = depot_path.path_span(text)
        own: Any = [span.depot, list(span.directories), span.is_exact]
    except depot_path.MalformedPath as problem:
        own = str(problem)
    wildcard = depot_path.first_wildcard(text)
    # Rust counts bytes.
    places = wildcard and [_bytes(text[:place]) for place in wildcard]
    known = [depot_path.is_embedded(text), depot_path.is_wild_within(text)]
    return Answers([own, places, *known], rust.ask(ask="path", text=text))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def words(rust: Rust, line: str) -> Answers:
    """Compare the words of a line; Python gives a line of blanks one empty word."""
    own = depot_path.split_words(line)
    return Answers([] if own == ("",) and '"' not in line else list(own), rust.ask(ask="words", text=line))


def line(rust: Rust, parts: Sequence[str]) -> Answers:
    """Compare the line that is joined of words."""
    own = [depot_path.view_line(tuple(parts), unicode=unicode) for unicode in (False, True)]
    return Answers(own, rust.ask(ask="line", words=list(parts)))


def rows(rust: Rust, lines: Sequence[Line], most: int) -> Answers:
    """Compare `[count, extra]` of a view's map, and whether it has more rows than `most`.

    If counting was ended, only the latter. Steps depend on the paths that a process counted before.
    """
    counted = MapRows(lines)
    for number in range(len(lines) - 1, -1, -1):
        counted.add(number)
    count, extra, _, more = rust.ask(ask="rows", lines=[list(one) for one in lines], most=most)
    own_more = has_more_rows(lines, most)
    if counted.steps > MAX_STEPS:
        return Answers(own_more, more)
    return Answers([counted.count, counted.extra, own_more], [count, extra, more])


def options(rust: Rust, text: str, demanded: Iterable[str]) -> Answers:
    """Compare the value of Options with demanded words."""
    own = with_all(" ".join(option_words(text)), demanded)
    return Answers(own, rust.ask(ask="options", text=text, words=list(demanded)))


def edited(rust: Rust, text: str, field: str, values: Sequence[str]) -> Answers:
    """Compare the text of a form with other values of a field."""
    form = form_parser.parse(text)
    own = None if form.problem else form_editor.with_lines(form, field, values, ["note"])
    rust_text = rust.ask(ask="edit", text=text, field=field, words=list(values))
    return Answers(own, rust_text)
