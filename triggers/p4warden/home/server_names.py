from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core import server_names
from p4warden.home import json_file, trusted_files

if TYPE_CHECKING:
    from p4warden.core.server_names import ServerNames


def keep(home: str, names: ServerNames) -> None:
    """Write a server's users and groups to a file of the home folder."""
    document = json.dumps(server_names.to_document(names)) + "\n"
    trusted_files.replace(home, server_names.FILE_NAME, document.encode())


def kept_s(home: str) -> float:
    """Return when `refresh` wrote the file, in seconds since the epoch."""
    return Path(home, server_names.FILE_NAME).stat().st_mtime


def last(home: str) -> ServerNames | None:
    """Return the users and groups that `refresh` stored last; None if missing or unreadable."""
    try:
        return json_file.load(home, server_names.FILE_NAME, server_names.from_document, "")
    except trusted_files.HomeError:
        return None
