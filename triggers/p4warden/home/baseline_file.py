r"""`baseline.json`: the findings that specs had at a census, which the gate tolerates.

One JSON object, with one spec a line in the order of their keys as JSON, so that a trigger finds
one spec among a hundred thousand with a few short reads:

    {"format": 3, "specs": {
    "client/ws": [["no-whole-depot", "View line", "//depot/...\t//ws/...", 0]]
    },
    "sums": "0a1b2c3d"}

An entry is the rule's name, the place without its number, the words of the item separated by tabs,
and the measured value. So a line may move within the form, and parts without findings may change.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from p4warden.core.patterns import fold
from p4warden.home import summed_file, trusted_files
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
        document = json.loads(summed_file.text(trusted_files.read(home, FILE_NAME)))
        specs: dict[str, list[Entry]] = document["specs"]
    except trusted_files.HomeError as error:
        raise UnusableFileError(f"{error}; run p4warden census --write-baseline") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UnusableFileError(f"{home}/{FILE_NAME}: it cannot be read: {error}") from error
    return specs


def write(specs: Mapping[str, Sequence[Entry]]) -> bytes:
    """Return the content of the file for the entries of each spec, by its key."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(specs[name])}" for name in sorted(specs, key=json.dumps)
    ]
    return summed_file.summed("\n".join([_HEAD, ",\n".join(lines), _END]))
