"""Fill a test server's list of servers, as `p4 servers` shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from P4 import P4

ROWS: list[dict[str, Any]] = json.loads(
    Path(__file__).parents[1].joinpath("cases", "servers", "servers.json").read_text("utf-8")
)["rows"]


def list_servers(admin: P4, *names: str) -> None:
    """Save the server specs with these IDs, or all of the case file, with `p4 server -i`."""
    for row in ROWS:
        if not names or row["ServerID"] in names:
            admin.input = _form(row)
            admin.run("server", "-i")


def _form(row: dict[str, Any]) -> str:
    fields = {"Description": "A test server.\n", **row}
    text = fields.pop("Description").strip()
    lines = [f"{name}:\t{value}\n" for name, value in fields.items() if name != "runs"]
    return "".join([*lines, f"Description:\n\t{text}\n"])
