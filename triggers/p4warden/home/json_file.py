from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from p4warden.home import trusted_files
from p4warden.home.trusted_files import HomeError

if TYPE_CHECKING:
    from collections.abc import Callable

    T = TypeVar("T")


def load(home: str, name: str, parse: Callable[[Any], T], problem: str) -> T | None:
    """Return what `parse` makes of the JSON in a file of the home folder; None without the file.

    Raises:
        HomeError: the file is not trusted or no JSON, or `parse` raises an error that a document
            of another shape causes; the text is then the file's path and `problem`.
    """
    content = trusted_files.read_if_there(home, name)
    if content is None:
        return None
    try:
        return parse(json.loads(content))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise HomeError(f"{home}/{name}{problem}") from error


def keep(home: str, name: str, document: Any) -> None:
    """Write a document to a file of the home folder; raise HomeError if that fails."""
    trusted_files.replace(home, name, json.dumps(document, indent=1).encode())
