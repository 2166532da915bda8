"""Ask the server, while it waits for a trigger, for facts such as the files of a submit.

A separate program asks, with a deadline, as the account with which `p4warden refresh` ran last
(`server.json` in the home folder names it). Read-only commands work while a submit waits (P4
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
P4ENVIRO_NAME = "p4enviro"
"""Name of the file in the home folder that P4Python uses in place of `~/.p4enviro`."""
DEADLINE_S = 3.5
"""Longest time in seconds for which the worker waits for the server's facts. The gate ends the
worker after 5 s, and the worker must start and judge as well."""

MANY = 20_000
"""Number of first-level directories above which a depot's directories are not all listed while a
submit waits; the number in the last refresh's facts is then used, whatever its age."""

_PROGRAM = ("-I", "-m", "p4warden.server.answers")
_FAILED = "the program that asks the server failed"


_NO_FILES = (
    "change {}: the server names no file of it yet, as during p4 populate; it is not judged"
)


class NoServerAnswerError(P4WardenError):
    """Error: the server could not be asked for the facts that a trigger needs.

    The text says why.
    """


class NoAccountError(NoServerAnswerError):
    """Error: `p4warden refresh` has not run in this home folder yet."""


class CompletedEvent(NamedTuple):
    """A trigger event and the facts to judge it by, completed as far as the server replied.

    Attributes:
        trouble: the reason why a needed fact is missing, or None.
    """

    event: Event
    facts: Facts
    trouble: str | None = None


def completed(home: str, needs: frozenset[str], event: Event, facts: Facts) -> CompletedEvent:
    """Ask the server for facts that an event needs; return the event and the facts with them.

    If the server does not answer, a depot is judged by the facts of the last refresh, however old;
    the files of a submit are known to no other source. If the server answers and names no files,
    as during `p4 populate`, the event has none, and the rules about files have nothing to judge.

    On an unknown server, before the first refresh, the files of a submit are unknown, too.

    Raises:
        NoServerAnswerError: the files of a submit are needed, and the server did not answer.
    """
    try:
        answer = ask(home, needs, event, facts)
    except NoServerAnswerError as trouble:
        if isinstance(trouble, NoAccountError) and not facts.depots:
            return CompletedEvent(event, facts, str(trouble))
        if needs != {"depots"}:
            raise
        aside = facts._replace(
            depots_as_of=f"{facts.depots_as_of}, because the server could not be reached"
        )
        return CompletedEvent(event, aside, str(trouble))
    if "files" in answer and not answer["files"]:
        return CompletedEvent(event, facts, _NO_FILES.format(event.change))
    if "files" in answer:
        event = with_files(event, answer)
        facts = with_directories(facts, answer.get("directories", {}))
    if "depots" in answer:
        facts = with_depots(facts, answer["depots"])
    return CompletedEvent(event, facts)


def ask(home: str, needs: frozenset[str], event: Event, facts: Facts) -> dict[str, Any]:
    """Return the facts that a trigger requests from the server, by the names in `needs`.

    Args:
        home: the p4warden home folder.
        needs: some of `files`, `directories` and `depots`.
        event: the event to be judged.
        facts: the facts known so far.

    Raises:
        NoServerAnswerError: no account is known, or no usable reply came in time.
    """
    large = [name for name, depot in facts.depots.items() if depot.directory_count > MANY]
    request = {
        **_account(home),
        "wanted": sorted(needs),
        "change": event.change,
        "large": large,
    }
    try:
        answer = json.loads(_run(home, request))
    except ValueError as error:
        raise NoServerAnswerError(f"{_FAILED}: {error}") from error
    if "error" in answer:
        raise NoServerAnswerError(str(answer["error"]))
    return dict(answer)


def _run(home: str, request: dict[str, Any]) -> bytes:
    """Run the program that asks the server for facts; return its output.

    P4ENVIRO names a file in the home folder: P4Python replaces that file, even /dev/null, when it
    has to find out the server's character set (observed with 2026.1).
    """
    import subprocess  # noqa: PLC0415 - costs every trigger 10 ms, and few ask

    try:
        process = subprocess.run(
            [sys.executable, *_PROGRAM],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
            env={
                "PATH": os.defpath,
                "P4ENVIRO": f"{home}/{P4ENVIRO_NAME}",
                **request["environment"],
            },
        )
    except subprocess.TimeoutExpired as error:
        raise NoServerAnswerError(f"the server did not answer within {DEADLINE_S} s") from error
    except (OSError, ValueError) as error:
        raise NoServerAnswerError(f"{_FAILED}: {error}") from error
    if process.returncode:
        last = process.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise NoServerAnswerError(f"{_FAILED}: {last}")
    return process.stdout


def with_files(event: Event, answer: dict[str, Any]) -> Event:
    """Return a submit event with the changelist's files, as the server's reply lists them."""
    return event._replace(files=tuple(SubmittedFile(*file) for file in answer["files"]))


def with_directories(facts: Facts, answer: dict[str, Any]) -> Facts:
    """Return the facts about a server, with the first-level directories that its reply lists."""
    depots = dict(facts.depots)
    for name, listing in answer.items():
        names = tuple(listing["names"])
        depot = depot_named(facts, name)
        if listing["all"]:
            depots[name] = Depot(depot.type if depot else "", names, len(names))
        elif depot:
            depots[name] = depot._replace(confirmed_directories=names)
    return facts._replace(depots=depots)


def _account(home: str) -> dict[str, Any]:
    try:
        account = json.loads(trusted_files.read(home, FILE_NAME))
        return {name: account[name] for name in ("port", "user", "ticket_file", "environment")}
    except trusted_files.HomeError as error:
        is_missing = isinstance(error.__cause__, FileNotFoundError)
        kind = NoAccountError if is_missing else NoServerAnswerError
        raise kind(f"{error}; run p4warden refresh") from error
    except (ValueError, KeyError, TypeError) as error:
        raise NoServerAnswerError(
            f"{home}/{FILE_NAME}: it cannot be read; run p4warden refresh"
        ) from error
