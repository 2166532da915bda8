"""Questions to the server itself while it waits for a trigger: a submit's files, and its depots.

This is rare: saving a depot, and a submit. A program of its own asks, with a deadline, as the
account that `p4warden refresh` ran as last; `server.json` in the home folder says which. A trigger
that asks its own server is common practice: read-only commands work while a submit waits (P4
Server Administrator Guide, triggers).
"""

from __future__ import annotations

import json
import os
import sys

from p4warden.core.errors import P4WardenError
from p4warden.core.facts import depot_named, with_depots
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.records import Depot, Event, Facts, SubmittedFile
from p4warden.home import trusted_files

if TYPE_CHECKING:
    from typing import Any

FILE_NAME = "server.json"
DEADLINE_S = 3.5
"""The gate's own deadline is 5 s, and the worker has to start and to judge as well."""

MANY = 20_000
"""A depot with more first-level directories is not listed while a submit waits: its number is that
of the facts, as old as they are."""

_PROGRAM = ("-I", "-m", "p4warden.server.answers")
_FAILED = "the program that asks the server failed"


_NO_FILES = (
    "change {}: the server names no file of it yet, as during p4 populate; it is not judged"
)


class NoAnswer(P4WardenError):  # noqa: N818 - it is the server's silence, not an error of ours
    """The server could not be asked; the text says why."""


class Known(NamedTuple):
    """An event and the facts known of it.

    Attributes:
        trouble: why something that should be known is not, or None.
    """

    event: Event
    facts: Facts
    trouble: str | None = None


def known(home: str, wanted: frozenset[str], event: Event, facts: Facts) -> Known:
    """Return the event and the facts with what the server says.

    A depot is judged by facts that may be old where the server does not answer; of a submit's
    files no one else knows anything. Where the server answers and names none, as during
    `p4 populate`, the event keeps none: the rules about them have nothing to judge.

    Raises:
        NoAnswer: the files of a submit are wanted, and the server did not answer.
    """
    try:
        answer = ask(home, wanted, event, facts)
    except NoAnswer as trouble:
        if wanted != {"depots"}:
            raise
        aside = facts._replace(counted_by="facts.json, because the server could not be reached")
        return Known(event, aside, str(trouble))
    if "files" in answer and not answer["files"]:
        return Known(event, facts, _NO_FILES.format(event.change))
    if "files" in answer:
        event = with_files(event, answer)
        facts = with_directories(facts, answer.get("directories", {}))
    if "depots" in answer:
        facts = with_depots(facts, answer["depots"], "the server")
    return Known(event, facts)


def ask(home: str, wanted: frozenset[str], event: Event, facts: Facts) -> dict[str, Any]:
    """Return the server's answers, by the names in `wanted`.

    Args:
        home: the home folder.
        wanted: of `files`, `directories` and `depots`.
        event: the event to be judged.
        facts: the facts known already.

    Raises:
        NoAnswer: no account is known, or there was no answer in time.
    """
    large = [name for name, depot in facts.depots.items() if depot.directory_count > MANY]
    request = {
        **_account(home),
        "wanted": sorted(wanted),
        "change": event.change,
        "large": large,
    }
    try:
        answer = json.loads(_run(home, request))
    except ValueError as error:
        raise NoAnswer(f"{_FAILED}: {error}") from error
    if "error" in answer:
        raise NoAnswer(str(answer["error"]))
    return dict(answer)


def _run(home: str, request: dict[str, Any]) -> bytes:
    """Return what the program that asks the server says.

    P4Python replaces the file that P4ENVIRO names, be it /dev/null, where it has to find out the
    server's character set (seen with 2026.1).
    """
    import subprocess  # noqa: PLC0415 - costs every trigger 10 ms, and few ask

    try:
        done = subprocess.run(
            [sys.executable, *_PROGRAM],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
            env={"PATH": os.defpath, "P4ENVIRO": f"{home}/p4enviro", **request["environment"]},
        )
    except subprocess.TimeoutExpired as error:
        raise NoAnswer(f"the server did not answer within {DEADLINE_S} s") from error
    except (OSError, ValueError) as error:
        raise NoAnswer(f"{_FAILED}: {error}") from error
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise NoAnswer(f"{_FAILED}: {last}")
    return done.stdout


def with_files(event: Event, answer: dict[str, Any]) -> Event:
    """Return a submit with its files."""
    return event._replace(files=tuple(SubmittedFile(*file) for file in answer["files"]))


def with_directories(facts: Facts, answer: dict[str, Any]) -> Facts:
    """Return facts that know the first-level directories that the server was asked about."""
    depots = dict(facts.depots)
    for name, found in answer.items():
        names = tuple(found["names"])
        known = depot_named(facts, name)
        if found["all"]:
            depots[name] = Depot(known.type if known else "", names, len(names))
        elif known:
            depots[name] = known._replace(confirmed=names)
    return facts._replace(depots=depots)


def _account(home: str) -> dict[str, Any]:
    try:
        account = json.loads(trusted_files.read(home, FILE_NAME))
        return {name: account[name] for name in ("port", "user", "ticket_file", "environment")}
    except trusted_files.HomeError as error:
        raise NoAnswer(f"{error}; run p4warden refresh") from error
    except (ValueError, KeyError, TypeError) as error:
        raise NoAnswer(f"{home}/{FILE_NAME}: it cannot be read; run p4warden refresh") from error
