"""Commands that change the home, the triggers table or a file, and the state before each."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, NamedTuple

from support.policies import OBSERVED, POLICY
from support.small_index import small_index
from support.triggers import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from P4 import P4

    from support.warden import Warden

GROWING = ("decisions.jsonl", "history.jsonl", "old_lines.jsonl", "state")


class World:
    """A home folder, a folder for output and a server, which can be compared and put back."""

    def __init__(self, warden: Warden, admin: P4, folder: Path) -> None:
        self.warden, self.admin, self.folder = warden, admin, folder
        self.policy = folder / "new.yaml"
        self.policy.write_text(OBSERVED)
        self._backup = folder.with_name("backup")

    def content(self) -> dict[str, bytes | None]:
        """Return the triggers table and the files, without locks, logs and metrics.

        The file of the metrics says that it is not complete.
        """
        files: dict[str, bytes | None] = {
            str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else None
            for path in self.folder.rglob("*")
            if path.suffix not in (".lock", ".prom") and path.name not in GROWING
        }
        return files | {"the table": self.table().encode()}

    def table(self) -> str:
        return str(self.admin.run("triggers", "-o", tagged=False)[0])

    def keep(self) -> None:
        """Keep the present state for `put_back`."""
        shutil.rmtree(self._backup, ignore_errors=True)
        shutil.copytree(self.folder, self._backup)
        self._table = self.table()

    def put_back(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self._backup, self.folder)
        if self.table() != self._table:
            write(self.admin, self._table)


class Case(NamedTuple):
    """A command line that changes files, and the state before it."""

    words: tuple[str, ...]
    prepare: Callable[[World], object]
    has_home: bool = True
    success: int = 0


def install(world: World) -> None:
    world.warden.install(POLICY)


def add_depot(world: World) -> None:
    install(world)
    world.admin.save_depot({"Depot": "new", "Type": "local", "Map": "new/..."})


def plan(world: World) -> None:
    world.warden.install(POLICY)
    text = POLICY.replace("[client]", "[client, branch]")
    world.policy.write_text(text)
    world.warden.must("deploy", "plan", "--policy", str(world.policy), code=1)


def plan_beside_an_edge(world: World) -> None:
    edge = {"ServerID": "edge-1", "Type": "server", "Services": "edge-server", "Name": "edge-1"}
    world.admin.save_server(edge)
    install_named(world)
    world.policy.write_text(POLICY.replace("[client]", "[client, branch]"))
    world.warden.must("deploy", "plan", "--policy", str(world.policy), code=1)


def install_named(world: World) -> None:
    world.warden.prepare(POLICY)
    world.warden.must("deploy", "plan", code=1)
    words = ("--exclude", "edge-1", "--reason", "not there yet")
    world.warden.must("deploy", "apply", "--no-verify", *words)


def deploy_twice(world: World) -> None:
    plan(world)
    world.warden.must("deploy", "apply", "--no-verify", "--policy", str(world.policy))


def switch_off(world: World) -> None:
    install(world)
    world.warden.must("off")


def refuse(world: World) -> None:
    """Let the log have a refusal, and the home an allowance."""
    install(world)
    record = {"time": 1, "event": "form-save", "type": "client", "user": "ann", "ip": "10.0.0.1"}
    record |= {"verdict": "refuse", "rule": "no-whole-depot"}
    lines = [json.dumps({**record, "name": name, "id": name}) for name in ("refused1", "allowed1")]
    (world.warden.home / "decisions.jsonl").write_text("".join(f"{line}\n" for line in lines))
    world.warden.must("allow", "allowed1", *ALLOWED)


def tolerate(world: World) -> None:
    world.warden.install(OBSERVED)
    world.warden.must("census", "--write-baseline")
    world.admin.save_client({"Client": "w", "Root": "/w", "View": ["//depot/... //w/..."]})


def draft(world: World) -> None:
    (world.folder / "out.yaml").write_text("old\n")


def replan(world: World) -> None:
    install(world)
    world.policy.write_text(POLICY.replace("[client]", "[client, branch]"))


def give(world: World) -> None:
    """Share a policy and an index; then run another policy without an index."""
    world.warden.install(OBSERVED)
    index = world.warden.home / "checkpoint.index"
    small_index(world.folder, {"//depot/main": 3}, {}).rename(index)
    index.chmod(0o600)
    world.warden.must("share", str(world.folder / "shared"))
    index.unlink(missing_ok=True)
    world.policy.write_text(POLICY)
    world.warden.must("activate", str(world.policy))


def check_in(world: World) -> None:
    """Submit a small file with a client, whose root is beside the folder that is compared."""
    install(world)
    root = world.folder.with_name("root")
    root.mkdir()
    view = ["//depot/main/... //pulse-ws/..."]
    world.admin.save_client({"Client": "pulse-ws", "Root": str(root), "View": view})
    (root / "pulse.txt").write_text("beat\n")
    world.admin.client = "pulse-ws"
    world.admin.run("add", str(root / "pulse.txt"))
    world.admin.run("submit", "-d", "a small file")


def letter(world: World) -> None:
    install(world)
    row = {"type": "client", "name": "ann-ws", "owner": "ann", "verdict": "refuse", "rule": "wide"}
    text = json.dumps({**row, "detail": "It maps all of //depot", "fix": None})
    (world.folder / "census").write_text(text + "\n")
    (world.folder / "users.csv").write_text("ann,ann@example.com\n")


NOTIFY = (
    *("notify-owners", "--census", "{folder}/census", "--addresses", "{folder}/users.csv"),
    *("--deadline", "2027-03-31", "--domain", "example.com"),
    *("--contact", "admins"),
)
ALLOWED = ("--for", "1d", "--reason", "a demo")
PULSE = ("pulse", "--once", "--path", "//depot/main/pulse.txt", "--client", "pulse-ws")

CASES = {
    "activate, no home": Case(("activate", "{policy}"), lambda _: None),
    "activate": Case(("activate", "{policy}"), install),
    "refresh": Case(("refresh",), add_depot),
    "init": Case(("init", "--output", "{folder}/out.yaml"), lambda _: None, has_home=False),
    "init --force": Case(
        ("init", "--force", "--output", "{folder}/out.yaml"), draft, has_home=False
    ),
    "deploy plan": Case(("deploy", "plan", "--policy", "{policy}"), replan, success=1),
    "deploy plan --instance": Case(
        ("deploy", "plan", "--instance", "second", "--policy", "{policy}"), replan, success=1
    ),
    "share": Case(("share", "{folder}/other"), give),
    "share again": Case(("share", "{folder}/shared"), give),
    "follow": Case(("follow", "{folder}/shared"), give),
    "notify-owners --to-folder": Case((*NOTIFY, "--to-folder", "{folder}/a/b"), letter),
    "pulse": Case(PULSE, check_in),
    "report --html": Case(("report", "--html", "{folder}/page.html"), install),
    "deploy apply": Case(
        ("deploy", "apply", "--no-verify", "--policy", "{policy}"),
        plan,
    ),
    "deploy apply --ready-on": Case(
        ("deploy", "apply", "--no-verify", "--policy", "{policy}", "--ready-on", "edge-1"),
        plan_beside_an_edge,
    ),
    "deploy rollback": Case(("deploy", "rollback", "--yes"), deploy_twice),
    "deploy uninstall": Case(("deploy", "uninstall", "--yes"), install),
    "census": Case(("census", "--write-baseline"), tolerate),
    "off": Case(("off",), install),
    "on": Case(("on",), switch_off),
    "allow": Case(("allow", "refused1", *ALLOWED), refuse),
    "allow --end": Case(("allow", "--end", "allowed1"), refuse),
    "metrics": Case(("metrics", "--output", "{folder}/p4warden.prom"), install),
}
