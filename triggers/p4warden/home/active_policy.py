from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from p4warden.asking.gate_program import output
from p4warden.core import facts
from p4warden.core.errors import P4WardenError
from p4warden.home import server_account, summed_file, trusted_files
from p4warden.policy import compiled

if TYPE_CHECKING:
    from p4warden.core.records import Facts

SOURCE_FILE = "policy.source"
"""Name of the home's file with the path of the YAML policy that was activated last."""

_LAST_REFRESH = "the last p4warden refresh"


class UnusableFileError(P4WardenError):
    """Error: a home file that triggers need cannot be used; the text has file and reason."""


class NoFactsError(UnusableFileError):
    """Error: `refresh` has not written facts about the server to the home folder yet."""


def policy(home: str) -> compiled.Policy:
    """Return the running policy of a home folder.

    Raises:
        UnusableFileError: the policy's file is missing, not trusted, or damaged.
    """
    try:
        return of_file(trusted_files.read(home, compiled.FILE_NAME))
    except trusted_files.HomeError as error:
        raise UnusableFileError(str(error)) from error
    except compiled.CompiledError as error:
        raise UnusableFileError(f"{home}/{compiled.FILE_NAME}: {error}") from error


def of_file(content: bytes) -> compiled.Policy:
    """Return the policy of a `policy.json`; raise `CompiledError` if it is damaged."""
    try:
        return compiled.loads(summed_file.text(content))
    except compiled.CompiledError:
        raise
    except ValueError as error:
        raise compiled.CompiledError(f"it cannot be read: {error}") from error


def source_path(home: str) -> str:
    """Return the path of the YAML that was activated last, whether or not it is still there.

    Raises:
        trusted_files.HomeError: it is not recorded, not trusted or not readable.
    """
    return os.fsdecode(trusted_files.read(home, SOURCE_FILE)).strip()


def replace(home: str, policy: compiled.Policy, *, is_judged_by: bool = True) -> None:
    """Write the policy for the triggers, and create the home folder if it is missing.

    The gate reads it first, so that a policy it refuses changes nothing, unless no trigger line
    judges by it.

    Raises:
        P4WardenError: the home folder cannot be used, or the gate refuses the policy.
    """
    content = refuse_unreadable(policy) if is_judged_by else _file(policy)
    trusted_files.make(home)
    trusted_files.replace(home, compiled.FILE_NAME, content)


def is_in_place(home: str, policy: compiled.Policy) -> bool:
    """Tell whether `replace` would change nothing; raise `GateError` if the gate refuses it."""
    return trusted_files.read(home, compiled.FILE_NAME) == refuse_unreadable(policy)


def refuse_unreadable(policy: compiled.Policy) -> bytes:
    """Return the content of a policy's file; raise `GateError` if the gate refuses the policy."""
    output("check", text=compiled.dumps(policy).encode())
    return _file(compiled.with_lines(policy))


def _file(policy: compiled.Policy) -> bytes:
    return summed_file.summed(compiled.dumps(policy))


def policy_if_any(home: str) -> compiled.Policy | None:
    """Return the running policy of a home folder; None if no policy can be used."""
    try:
        return policy(home)
    except UnusableFileError:
        return None


def modes(home: str) -> dict[str, str]:
    """Return the mode of each rule in the running policy, by rule name; empty without a policy."""
    policy = policy_if_any(home)
    return {rule.name: rule.mode for rule in policy.rules} if policy else {}


def known_facts(home: str) -> Facts:
    """Return the facts about the server that `refresh` wrote last to a home folder.

    Raises:
        NoFactsError: there is no such file.
        UnusableFileError: the file is not trusted, or damaged.
    """
    try:
        text = summed_file.text(trusted_files.read(home, facts.FILE_NAME))
        server_facts = facts.from_document(json.loads(text))
    except trusted_files.MissingFileError as error:
        path = f"{home}/{facts.FILE_NAME}"
        raise NoFactsError(f"{path}: there are no facts about the server yet") from error
    except trusted_files.HomeError as error:
        raise UnusableFileError(str(error)) from error
    except ValueError as error:
        raise UnusableFileError(f"{home}/{facts.FILE_NAME}: it cannot be read: {error}") from error
    return server_facts._replace(depots_as_of=_LAST_REFRESH)


def needs_no_account(home: str) -> bool:
    """Tell whether a home has facts without an account, from `p4warden follow`."""
    return not server_account.asked_ns(home) and trusted_files.has(home, facts.FILE_NAME)


def facts_if_any(home: str) -> Facts | None:
    """Return the facts about the server in a home folder; None if no facts can be used."""
    try:
        return known_facts(home)
    except UnusableFileError:
        return None
