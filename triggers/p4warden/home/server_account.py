"""The server and the account with which `p4warden refresh` ran last: `server.json` in the home."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from p4warden.core.errors import P4WardenError
from p4warden.home import summed_file, trusted_files

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_NAME = "server.json"
P4ENVIRO_NAME = "p4enviro"
"""Name of the file in the home folder that P4Python uses in place of `~/.p4enviro`."""


class AccountError(P4WardenError):
    """Error: the file is not trusted or damaged; the text says so."""


class NoAccountError(AccountError):
    """Error: `p4warden refresh` has not run in this home folder yet."""


def asked_ns(home: str) -> int:
    """Return when the account asked the server last, in nanoseconds; 0 without an account."""
    try:
        return os.stat(os.path.join(home, FILE_NAME)).st_mtime_ns  # noqa: PTH116, PTH118
    except OSError:
        return 0


def read(home: str) -> dict[str, Any]:
    """Return `port`, `user`, `ticket_file` and `environment`; raise `AccountError`."""
    try:
        account = json.loads(summed_file.text(trusted_files.read(home, FILE_NAME)))
        return {name: account[name] for name in ("port", "user", "ticket_file", "environment")}
    except trusted_files.HomeError as error:
        is_missing = isinstance(error, trusted_files.MissingFileError)
        kind = NoAccountError if is_missing else AccountError
        raise kind(f"{error}; run p4warden refresh") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise AccountError(
            f"{home}/{FILE_NAME}: it cannot be read; run p4warden refresh"
        ) from error


def write(home: str, account: Mapping[str, Any]) -> None:
    """Store what `read` returns."""
    trusted_files.replace(home, FILE_NAME, summed_file.summed(json.dumps(account, indent=1)))


def name(home: str) -> str:
    """Return `USER@ADDRESS` of the account that asks for triggers; empty without one."""
    try:
        account = read(home)
    except AccountError:
        return ""
    return f"{account['user']}@{account['port']}"


def settings(home: str) -> dict[str, str]:
    """Return the variables of the environment for that server and account; none before a refresh.

    Raises:
        AccountError: the file is not trusted or damaged.
    """
    try:
        known = read(home)
    except NoAccountError:
        return {}
    names = {"P4PORT": "port", "P4USER": "user", "P4TICKETS": "ticket_file"}
    values = {name: known[key] for name, key in names.items()} | known["environment"]
    return {name: value for name, value in values.items() if value}
