r"""`baseline.json`: the findings that specs had at a census, which the gate tolerates.

One JSON object, with one spec a line in the order of their keys as JSON, so that a trigger finds
one spec among a hundred thousand with a few short reads:

    {"format": 3, "specs": {
    "client/ws": [CHECKSUM, [["no-whole-depot", "View line", "//depot/...\t//ws/...", 0]]]
    }}

The checksum is the CRC-32 of the key, `: ` and the entries as they are written. An entry is the
rule's name, the place without its number, the words of the item separated by tabs, and the
measured value. So a line may move within the form, and parts without findings may change.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from p4warden.core.patterns import fold
from p4warden.home import trusted_files
from p4warden.home.active_policy import UnusableFileError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Entry = Sequence[str | int | None]

FILE_NAME = "baseline.json"
_HEAD, _END = '{"format": 3, "specs": {', "}}"


def key(spec_type: str, name: str, *, case_sensitive: bool) -> str:
    """Return the key of a spec, such as `client/ws`."""
    return f"{spec_type}/{fold(name, case_sensitive=case_sensitive)}"


def read(home: str) -> dict[str, list[Entry]]:
    """Return the entries of all specs of a home folder's baseline, by key.

    Raises:
        UnusableFileError: the file is missing, not trusted, or damaged.
    """
    try:
        document = json.loads(trusted_files.read(home, FILE_NAME))
        specs = {key: _checked(key, value) for key, value in document["specs"].items()}
    except trusted_files.HomeError as error:
        remedy = "run p4warden census --write-baseline"
        raise UnusableFileError(str(error), remedy) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnusableFileError(f"{home}/{FILE_NAME}: it cannot be read: {error}") from error
    return specs


def write(specs: Mapping[str, Sequence[Entry]]) -> bytes:
    """Return the content of the file for the entries of each spec, by its key."""
    lines = [_line(name, specs[name]) for name in sorted(specs, key=json.dumps)]
    return "\n".join([_HEAD, ",\n".join(lines), _END, ""]).encode("ascii")


def _line(name: str, entries: Sequence[Entry]) -> str:
    return f"{json.dumps(name)}: [{_checksum(name, entries)}, {json.dumps(entries)}]"


def _checked(name: str, value: Any) -> list[Entry]:
    checksum, entries = value
    if checksum != _checksum(name, entries):
        msg = f"the line of {json.dumps(name)} is damaged"
        raise ValueError(msg)
    return list(entries)


def _checksum(name: str, entries: Sequence[Entry]) -> int:
    return zlib.crc32(f"{json.dumps(name)}: {json.dumps(entries)}".encode("ascii"))
