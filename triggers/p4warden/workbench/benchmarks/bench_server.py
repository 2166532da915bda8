"""The depot, the clients and the files of the benchmarks on a server that is for tests only."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

import P4

from p4warden.core.errors import P4WardenError
from p4warden.server.connection import Address, connected
from p4warden.server.questions import server_id
from p4warden.workbench.benchmarks.timings import rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from p4warden.workbench.benchmarks.papers import Size

DEPOT = "p4warden-bench"
KEY = DEPOT
FURTHER = f"{DEPOT}-of-"
"""How the names of all other depots begin."""
ROOT = f"//{DEPOT}"
TREE = f"{ROOT}/main"
ONE_FILE = f"{TREE}/d0/f0"
PRODUCTS = f"{ROOT}/products"
# Numbers of clients; those below are of the submits and of what runs beside them.
BYSTANDER = 12
EVERYTHING = 13
"""The view of this one maps all depots."""
_ADDED_AT_ONCE = 500


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

    def add(self, p4: P4.P4, paths: list[str]) -> None:
        """Open files for add, a part of them with each command."""
        for start in range(0, len(paths), _ADDED_AT_ONCE):
            p4.run("add", *paths[start : start + _ADDED_AT_ONCE])


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
        save_depot(p4, DEPOT)
        for number in range(EVERYTHING + 1):
            top = "//" if number == EVERYTHING else f"{ROOT}/"
            _create_client(p4, bench.folder / client_name(number), top)
    try:
        _populate(bench)
        yield
    finally:
        _remove(bench)


def save_depot(p4: P4.P4, name: str) -> None:
    """Create a local depot."""
    p4.save_depot({**rows(p4, "depot", "-o", name)[0], "Type": "local"})


def remove_depots(p4: P4.P4) -> None:
    """Remove the depots of a benchmark, with all that is in them."""
    for name in (row["name"] for row in rows(p4, "depots")):
        if name.startswith(FURTHER):
            rows(p4, "obliterate", "-y", f"//{name}/...")
            p4.run("depot", "-d", name)


def _create_client(p4: P4.P4, root: Path, top: str) -> None:
    name, view = root.name, [f"{top}... //{root.name}/..."]
    root.mkdir()
    fields = {"Client": name, "Owner": p4.user, "Root": str(root), "Host": "", "View": view}
    p4.save_client(fields)


def _populate(bench: Bench) -> None:
    size = bench.size
    with bench.client(0) as p4:
        for number in range(size.directories):
            bench.add(p4, bench.write(0, f"main/d{number}", size.files_of_directory))
        digits = size.products.bit_length() - 1
        products = (f"products/{number:0{digits}b}" for number in range(size.products))
        parts = [f"{product}/{part}" for product in products for part in ("main", "release")]
        bench.add(p4, [path for part in parts for path in bench.write(0, part, 1)])
        p4.run("submit", "-d", "files of p4warden bench")


def _remove(bench: Bench) -> None:
    with connected(bench.address) as p4, p4.at_exception_level(P4.P4.RAISE_NONE):
        for number in range(EVERYTHING + 1):
            p4.client = client_name(number)
            p4.run("revert", "-k", f"{ROOT}/...")
        remove_depots(p4)
        p4.run("obliterate", "-y", f"{ROOT}/...")
        for number in range(EVERYTHING + 1):
            p4.run("client", "-d", "-f", client_name(number))
        for row in rows(p4, "changes"):
            p4.run("change", "-d", "-f", row["change"])
        p4.run("depot", "-d", DEPOT)
