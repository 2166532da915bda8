"""The depot, the clients and the files of the benchmarks on a server that is for tests only."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

import P4

from p4warden.core.errors import P4WardenError
from p4warden.server.connection import Address, connected
from p4warden.server.questions import server_id
from p4warden.workbench.benchmarks.commands import rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from p4warden.workbench.benchmarks.sizes import Size

DEPOT = "p4warden-bench"
KEY = "p4warden-bench"
ROOT = f"//{DEPOT}"
TREE = f"{ROOT}/main"
ONE_FILE = f"{TREE}/d0/f0"
MOST_CLIENTS = 13


class Bench(NamedTuple):
    """`folder` holds the clients' files on this host; `run` is part of the names of new files."""

    address: Address
    folder: Path
    size: Size
    run: str = "without"

    @contextlib.contextmanager
    def client(self, number: int) -> Iterator[P4.P4]:
        """Yield a connection with one of the benchmarks' clients."""
        with connected(self.address) as p4:
            p4.client = client_name(number)
            yield p4

    def write(self, number: int, directory: str, count: int) -> list[str]:
        """Write files for a client to add; return their paths on its disk."""
        folder = self.folder / client_name(number) / directory
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"f{one}" for one in range(count)]
        for one, path in enumerate(paths):
            line = f"{directory} {one} ".encode()
            path.write_bytes(
                (line * (self.size.file_bytes // len(line) + 1))[: self.size.file_bytes]
            )
        return [str(path) for path in paths]


def client_name(number: int) -> str:
    """Return the name of one of the benchmarks' clients."""
    return f"{DEPOT}-{number}"


def require_test_server(p4: P4.P4) -> None:
    """Raise P4WardenError unless the server is empty and marked as a test server."""
    name = server_id(rows(p4, "info", "-s")[0]) or ""
    if not name:
        raise P4WardenError(
            f"{p4.port} has no server id; a test server needs one: p4 serverid NAME"
        )
    keys = rows(p4, "key", KEY)
    mark = keys[0].get("value") if keys else None
    if mark != name:
        raise P4WardenError(
            f"{p4.port} is not marked as a test server. Benchmarks create, submit and obliterate "
            f"files. If nobody needs this server, mark it: p4 key {KEY} {name}"
        )
    if rows(p4, "changes", "-m", "1") or rows(p4, "files", "-m", "1", "//..."):
        raise P4WardenError(
            f"{p4.port} has changelists or files; benchmarks run on an empty server only"
        )


@contextlib.contextmanager
def prepared(bench: Bench) -> Iterator[None]:
    """Create the depot and its tree of files for the block; remove all of it afterwards."""
    with connected(bench.address) as p4:
        p4.save_depot({**rows(p4, "depot", "-o", DEPOT)[0], "Type": "local"})
        for number in range(MOST_CLIENTS):
            _create_client(p4, bench.folder / client_name(number))
    try:
        _populate(bench)
        yield
    finally:
        _remove(bench)


def _create_client(p4: P4.P4, root: Path) -> None:
    name = root.name
    root.mkdir()
    view = [f"{ROOT}/{top}/... //{name}/{top}/..." for top in ("main", "branch", "jam")]
    fields = {"Client": name, "Owner": p4.user, "Root": str(root), "Host": "", "View": view}
    p4.save_client(fields)


def _populate(bench: Bench) -> None:
    size = bench.size
    with bench.client(0) as p4:
        for number in range(size.directories):
            for path in bench.write(0, f"main/d{number}", size.files_of_directory):
                p4.run("add", path)
        p4.run("submit", "-d", "files of p4warden bench")


def _remove(bench: Bench) -> None:
    with connected(bench.address) as p4, p4.at_exception_level(P4.P4.RAISE_NONE):
        for number in range(MOST_CLIENTS):
            p4.client = client_name(number)
            p4.run("revert", "-k", f"{ROOT}/...")
        p4.run("obliterate", "-y", f"{ROOT}/...")
        for number in range(MOST_CLIENTS):
            p4.run("client", "-d", "-f", client_name(number))
        for row in rows(p4, "changes"):
            p4.run("change", "-d", "-f", row["change"])
        p4.run("depot", "-d", DEPOT)
