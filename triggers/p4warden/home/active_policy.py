from __future__ import annotations

import os

from p4warden.core import facts, light_json
from p4warden.core.errors import P4WardenError
from p4warden.core.records import Facts
from p4warden.home import trusted_files
from p4warden.policy import compiled

SOURCE_FILE = "policy.source"
"""Name of the home's file with the path of the YAML policy that was activated last."""

_LAST_REFRESH = "the last p4warden refresh"
_FIRST_BYTES = 80
_CASE = rb'\s*\{\s*"case_sensitive"\s*:\s*(true|false)\s*,\s*"unicode"\s*:\s*(true|false)\s*,'


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
        content = trusted_files.read(home, compiled.FILE_NAME)
        return compiled.loads(content)
    except trusted_files.HomeError as error:
        raise UnusableFileError(str(error)) from error
    except compiled.CompiledError as error:
        raise UnusableFileError(f"{home}/{compiled.FILE_NAME}: {error}") from error


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
        server_facts = facts.from_document(
            light_json.loads(trusted_files.read(home, facts.FILE_NAME))
        )
    except trusted_files.HomeError as error:
        raise _facts_error(home, error) from error
    except ValueError as error:
        raise UnusableFileError(f"{home}/{facts.FILE_NAME}: it cannot be read: {error}") from error
    return server_facts._replace(depots_as_of=_LAST_REFRESH)


def facts_without_depots(home: str) -> Facts:
    """Return a home's case handling and unicode mode, read from the start of facts.json.

    If the file does not begin as `refresh` writes it, the whole file is read, with its depots.
    """
    import re  # noqa: PLC0415 - few forms are too large to be read

    try:
        with trusted_files.open_file(home, facts.FILE_NAME) as file:
            start = re.match(_CASE, file.read(_FIRST_BYTES))
    except trusted_files.HomeError as error:
        raise _facts_error(home, error) from error
    if start:
        is_unicode = start[2] == b"true"
        return Facts(start[1] == b"true", depots_as_of=_LAST_REFRESH, unicode=is_unicode)
    return known_facts(home)


def _facts_error(home: str, error: trusted_files.HomeError) -> UnusableFileError:
    if isinstance(error.__cause__, FileNotFoundError):
        return NoFactsError(f"{home}/{facts.FILE_NAME}: there are no facts about the server yet")
    return UnusableFileError(str(error))


def facts_about(home: str, server_facts: Facts, spec_type: str | None, name: str | None) -> Facts:
    """Return the facts about the server, with the tolerated findings of one spec (baseline) added.

    Raises:
        UnusableFileError: the baseline file is missing, not trusted, or damaged.
    """
    from p4warden.judge import baseline  # noqa: PLC0415 - few sites have a census

    key = baseline.key(spec_type or "", name or "", server_facts)
    try:
        with trusted_files.open_file(home, baseline.FILE_NAME) as file:
            size_bytes = file.seek(0, os.SEEK_END)
            place = file.fileno()
            marks = baseline.find(lambda at, bytes_: os.pread(place, bytes_, at), size_bytes, key)
    except trusted_files.HomeError as error:
        raise UnusableFileError(f"{error}; run p4warden census --write-baseline") from error
    except (ValueError, KeyError, TypeError) as error:
        path = f"{home}/{baseline.FILE_NAME}"
        raise UnusableFileError(f"{path}: it cannot be read: {error}") from error
    return server_facts._replace(baseline=marks)
