"""Questions to the database, one file of SQL each under `questions/`."""

from __future__ import annotations

import contextlib
import sqlite3
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from p4warden.logs.reader import LogError

FOLDER = resources.files("p4warden.logs").joinpath("questions")


class Answer(NamedTuple):
    """The answer to a question: the names of the columns, and the rows."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def titles() -> dict[str, str]:
    """Return what each question is about, by its name."""
    files = {file.name.removesuffix(".sql"): file for file in FOLDER.iterdir()}
    first = {
        name: file.read_text("utf-8").splitlines()[0].removeprefix("-- ")
        for name, file in files.items()
        if file.name.endswith(".sql")
    }
    return dict(sorted(first.items()))


def ask(path: str, name: str, limit: int) -> Answer:
    """Answer a question.

    Args:
        path: of the database.
        name: a key of `titles()`.
        limit: at most so many rows.

    Raises:
        LogError: there is no such database.
    """
    question = FOLDER.joinpath(f"{name}.sql").read_text("utf-8")
    try:
        address = f"{Path(path).resolve().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(address, uri=True)) as database:
            found = database.execute(question, {"limit": limit})
            columns = tuple(column[0] for column in found.description)
            return Answer(columns, found.fetchall())
    except sqlite3.Error as error:
        raise LogError(f"{path}: {error}; make it with p4warden log load LOG...") from error
