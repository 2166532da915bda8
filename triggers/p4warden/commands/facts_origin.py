from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.commands.event_file import read_object
from p4warden.core import facts
from p4warden.core.errors import P4WardenError
from p4warden.history.local_time import local_day
from p4warden.home import server_account

if TYPE_CHECKING:
    from p4warden.core.records import Facts

_WITH_FILES = frozenset({"local", "stream"})
"""Types of depots whose files are in the checkpoint of their server."""


def facts_of_file(file: str) -> Facts:
    """Raise P4WardenError if the file has no facts."""
    try:
        return facts.from_document(read_object(file))
    except facts.FactsError as error:
        raise P4WardenError(f"{file}: {error}") from error


def facts_note(home: str) -> str:
    """Return a note for users on the facts file of a home: its path, its server and its date."""
    file = Path(home, facts.FILE_NAME)
    day = local_day(file.stat().st_mtime)
    return (
        f"the depots' top directories come from {file}, collected from {_server(home)} on {day} "
        "(specify another file with --facts)"
    )


CHOOSE_FACTS = (
    "specify that server's facts with --facts FILE, or --facts none to take depots and "
    "directories from the checkpoint"
)


def refuse_other_server(
    home: str,
    of_home: Facts,
    of_checkpoint: Facts,
    case_of_checkpoint: str,
    remedy: str = CHOOSE_FACTS,
) -> None:
    """Check that the facts in a home can be about the server of a checkpoint.

    A checkpoint need not name its server. What differs between two days of a server is accepted:
    new depots and directories on one side, or deleted ones. `case_of_checkpoint` is `sensitive`,
    `folded`, or `either` if unknown.

    Raises:
        P4WardenError: the facts are about another server.
    """
    difference = _difference(of_home, of_checkpoint, case_of_checkpoint)
    if difference:
        file = Path(home, facts.FILE_NAME)
        raise P4WardenError(
            f"{file}, collected from {_server(home)}, is not about the checkpoint's server: "
            f"{difference}; {remedy}"
        )


def _difference(of_home: Facts, of_checkpoint: Facts, case: str) -> str | None:
    own_id, its_id = of_home.server_id, of_checkpoint.server_id
    if own_id and its_id and own_id != its_id:
        return f"it is that of {own_id}, and the checkpoint is of {its_id}"
    if case != "either" and of_home.case_sensitive != (case == "sensitive"):
        return f"its case handling is {case} in the checkpoint"
    here, there = (_kinds(of_home), _kinds(of_checkpoint)) if of_home.depots else ({}, {})
    # Those on one side only may be new or deleted; on both sides they are of two servers.
    only_here, only_there = sorted(here.keys() - there), sorted(there.keys() - here)
    if only_here and only_there:
        return f"depot {only_here[0]} is only in the facts, {only_there[0]} only in the checkpoint"
    for name in sorted(here.keys() & there):
        if here[name] != there[name]:
            return f"depot {name} is of type {here[name]}, in the checkpoint of {there[name]}"
    places = _directories(of_home, of_checkpoint)
    # A few directories may have been deleted since.
    lacking = places - _directories(of_checkpoint, of_home)
    if 2 * len(lacking) > len(places):
        return f"the checkpoint has no files in {min(lacking)}"
    return None


def _kinds(server_facts: Facts) -> dict[str, str]:
    depots = server_facts.depots.items()
    return {facts.folded(name, server_facts): depot.type for name, depot in depots}


def _directories(of_one: Facts, of_other: Facts) -> set[str]:
    """Return the top directories of the depots with files whose directories both know.

    A checkpoint without files in a depot knows that there are none.
    """
    return {
        facts.folded(f"//{name}/{directory}", of_one)
        for name, depot in of_one.depots.items()
        if depot.type in _WITH_FILES
        for directory in depot.directories or ()
        if (other := facts.depot_named(of_other, name)) and other.directories is not None
    }


def server_address(home: str) -> str | None:
    """Return the address (P4PORT) of a home's server; None if `refresh` stored none."""
    try:
        return str(server_account.read(home)["port"])
    except server_account.AccountError:
        return None


def _server(home: str) -> str:
    return server_address(home) or "an unknown server"
