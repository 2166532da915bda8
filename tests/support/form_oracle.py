"""The functions of both languages about forms, asked for the same texts.

The Rust side is `triggers/gate/examples/oracle.rs`, built by cargo, over one pipe.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from p4warden.core.records import Event
from p4warden.forms import depot_path, form_editor, form_parser, leading_paths, view_lines
from p4warden.forms.client_options import with_all
from p4warden.forms.client_options import words as option_words
from p4warden.forms.depot_form import type_of
from p4warden.forms.map_rows import MAX_STEPS, Line, MapRows, has_more_rows
from p4warden.forms.new_client import is_new

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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


def python_answer(question: dict[str, Any]) -> Any:
    """Return Python's answer to a question of the oracle."""
    given = {name: value for name, value in question.items() if name not in ("ask", "type")}
    if "type" in question:
        given["form_type"] = question["type"]
    return _ANSWERS[question["ask"]](**given)


def differences(rust: Rust, questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each question whose answers differ, with both answers.

    A form with a capital beyond ASCII in a field's name, which Python folds, is no difference.
    """
    results = []
    for question, answer in zip(questions, rust.ask_all(questions), strict=True):
        own = python_answer(question)
        if own != answer and not (question["ask"] == "fields" and _is_folded(own, answer)):
            results.append({"question": question, "python": own, "rust": answer})
    return results


def _is_folded(python: Any, rust: Any) -> bool:
    """Tell whether answers about fields may differ because only Python folds beyond ASCII."""
    [problem, _], [rust_problem, values] = python, rust
    if problem and rust_problem:
        return bool(problem.lower() == rust_problem.lower())
    return any(name.lower() != name for name in values)


def _fields(text: str) -> list[Any]:
    form = form_parser.parse(text)
    values = {name: [line.text for line in lines] for name, lines in form.fields.items()}
    return [form.problem, values]


def _form(text: str, form_type: str, name: str) -> list[Any] | None:
    form = form_parser.parse(text)
    if form.problem:
        return None
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
    return [
        line.place,
        line.line.text,
        line.flag,
        line.path,
        line.client_path,
        line.other_path,
    ]


def _leading(path: leading_paths.LeadingPath | view_lines.MalformedLine) -> Any:
    if isinstance(path, view_lines.MalformedLine):
        return path.problem
    known = [path.item, path.place, path.path, path.depot, path.length_bytes]
    return [*known, path.measured_part, path.kind]


def _path(text: str) -> list[Any]:
    try:
        span = depot_path.path_span(text)
        measured: Any = [span.depot, list(span.directories), span.is_exact]
    except depot_path.MalformedPath as problem:
        measured = str(problem)
    wildcard = depot_path.first_wildcard(text)
    # Rust counts bytes.
    places = wildcard and [_bytes(text[:place]) for place in wildcard]
    return [measured, places, depot_path.is_embedded(text), depot_path.is_wild_within(text)]


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _words(text: str) -> list[str]:
    """Return the words of a line; none for a line of blanks, which in Python has an empty one."""
    words = depot_path.split_words(text)
    return [] if words == ("",) and '"' not in text else list(words)


def _line(words: Sequence[str]) -> list[str | None]:
    return [depot_path.view_line(tuple(words), unicode=unicode) for unicode in (False, True)]


def _rows(lines: Sequence[Sequence[str]], most: int) -> list[Any]:
    """Return the rows of a map, and those that count; None if counting was ended."""
    view = [Line(*line) for line in lines]
    rows = MapRows(view)
    for number in range(len(view) - 1, -1, -1):
        rows.add(number)
    counts = [None, None] if rows.steps > MAX_STEPS else [rows.count, rows.extra]
    return [*counts, has_more_rows(view, most)]


def _options(text: str, words: Iterable[str]) -> str:
    return with_all(" ".join(option_words(text)), words)


def _edit(text: str, field: str, words: Sequence[str]) -> str | None:
    form = form_parser.parse(text)
    return None if form.problem else form_editor.with_lines(form, field, words, ["note"])


_ANSWERS: dict[str, Callable[..., Any]] = {
    "fields": _fields,
    "form": _form,
    "path": _path,
    "words": _words,
    "line": _line,
    "rows": _rows,
    "options": _options,
    "edit": _edit,
}
