"""Test that plays docs/servers.md: three hosts with a commit server, an edge and a standby.

Hosts of one site have the same paths. Here all three are on one machine, so `host` is a link to
the folder of the host that acts.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from P4 import P4

from deploy.hosts import OWNER, PYTHON, Host
from p4warden_sandbox import Sandbox, Settings
from support.policies import POLICY, POLLING
from support.servers import list_servers
from support.triggers import table, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.servers import ClientFactory

pytestmark = [pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "servers.md"
LISTED = ("commit-1", "edge-0", "edge-1", "standby-1", "broker-1")


class Step(NamedTuple):
    """A step of the page: a command on a host with its expected output, or an event."""

    host: str
    text: str
    output: list[str]


def steps() -> Iterator[Step]:
    step = None
    for line in re.findall(r"^    (.*)$", PAGE.read_text("utf-8"), re.MULTILINE):
        match = re.fullmatch(r"(?:(commit|edge|standby)\$|(#)) (.*)", line)
        if match:
            if step:
                yield step
            step = Step(match[1] or "", match[3], [])
        else:
            assert step
            step.output.append(line)
    if step:
        yield step


class Site:
    """Three hosts with one server each, and the events that the page describes."""

    def __init__(self, folder: Path, connect: ClientFactory, file: Path) -> None:
        self._folder = folder
        self._connect = connect
        self._with_account = {"commit"}
        self.servers = {
            "commit": Sandbox(Settings(server_id="commit-1")).start(),
            "edge": Sandbox(Settings(server_id="edge-1")).start(),
            "standby": Sandbox(Settings(server_id="standby-1")).start(),
        }
        for name in self.servers:
            list_servers(self.admin(name), *LISTED)
            (folder / name).mkdir()
        self.act_on("commit")
        self.host = Host(folder / "host", file)
        for name in ("edge", "standby"):
            shutil.copytree(folder / "commit" / "bin", folder / name / "bin")
        self.events: dict[str, Callable[[], None]] = {
            "the table reaches edge-1 and standby-1": self.replicate,
            "a client of a whole depot is refused on commit-1 and on edge-1": self.judged,
            "commit-1 stops, and standby-1 takes over as commit-1": self.fail_over,
            "a client of a whole depot is refused on the standby's host": self.judged_on_standby,
            "the standby's host stops, and commit-1 is back on its own host": self.fail_back,
            "standby-1 takes over as commit-1 on a host without p4warden": self.bare_standby,
            "every listed command is refused there": self.refused,
            "no listed command is refused there": self.allowed,
        }

    def stop(self) -> None:
        for server in self.servers.values():
            server.stop()

    def act_on(self, name: str) -> None:
        link = self._folder / "host"
        link.unlink(missing_ok=True)
        link.symlink_to(self._folder / name)

    def admin(self, name: str) -> P4:
        server = self.servers[name]
        return self._connect(server, user=server.super_user)

    def run(self, step: Step) -> str:
        self.act_on(step.host)
        settings = {
            "PATH": f"{self.host.prefix}/bin:{self.host.bin}:/usr/bin:/bin",
            "HOME": str(self._folder),
            **(self._account(step.host) if step.host in self._with_account else {}),
            "P4ENVIRO": str(self._folder / "enviro"),
            "P4CHARSET": "none",
            "P4WARDEN_HOME": str(self.host.home),
            "P4WARDEN_SYSLOG": "",
        }
        process = subprocess.run(
            ["sh", "-c", self._here(step.text)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            cwd=self._folder,
            env=settings,
        )
        output = self._as_on_the_page(process.stdout)
        assert process.returncode == 0, f"{step.host}$ {step.text}\n{output}"
        return output

    def _account(self, name: str) -> dict[str, str]:
        server = self.servers[name]
        tickets = str(self._tickets())
        return {"P4PORT": server.port, "P4USER": server.super_user, "P4TICKETS": tickets}

    def _tickets(self) -> Path:
        """Write the administrator's tickets for the running servers to one file."""
        files = [server.tickets_file for server in self.servers.values()]
        tickets = self._folder / "tickets"
        tickets.write_text("".join(file.read_text() for file in files if file.exists()))
        tickets.chmod(0o600)
        return tickets

    def _here(self, command: str) -> str:
        for page, here in self._paths().items():
            command = command.replace(page, here)
        if not command.startswith("python3 "):
            return command
        places = f"--prefix={self.host.prefix} --home={self.host.home}"
        return f"{command} {places} {' '.join(OWNER)}".replace("python3", PYTHON, 1)

    def _as_on_the_page(self, output: str) -> str:
        for page, here in self._paths().items():
            output = output.replace(here, page)
        return output

    def _paths(self) -> dict[str, str]:
        return {
            "/var/lib/p4warden-shared": str(self._folder / "shared"),
            "/var/lib/p4warden": str(self.host.home),
            "/opt/p4warden": str(self.host.prefix),
            "/var/tmp/p4warden-VERSION.pyz": str(self.host.file),  # noqa: S108
            "standby:1666": self.servers["standby"].port,
        }

    def replicate(self) -> None:
        for name in ("edge", "standby"):
            write(self.admin(name), table(self.admin("commit")))

    def judged(self) -> None:
        for name in ("commit", "edge"):
            text = self._wide_client(name)
            assert "//depot/main/... //ann-ws/main/..." in text
            assert "rule=no-whole-depot " in text

    def judged_on_standby(self) -> None:
        assert "rule=no-whole-depot " in self._wide_client("standby")

    def fail_over(self) -> None:
        self._replace("standby", "commit-1")
        self._with_account.add("standby")
        self.servers["commit"].stop()

    def fail_back(self) -> None:
        form = table(self.admin("standby"))
        self.servers["commit"] = self._started("commit-1", form)
        self._replace("standby", "standby-1")
        self._with_account.discard("standby")

    def bare_standby(self) -> None:
        self._replace("standby", "commit-1")
        (self._folder / "standby").rename(self._folder / "away")
        (self._folder / "standby").mkdir()

    def refused(self) -> None:
        assert "p4warden" in self._files("standby")
        assert "p4warden" in self._wide_client("standby")

    def allowed(self) -> None:
        assert self._files("standby") == ""
        assert self._wide_client("standby") == ""
        shutil.rmtree(self._folder / "standby")
        (self._folder / "away").rename(self._folder / "standby")

    def _replace(self, name: str, server_id: str) -> None:
        form = table(self.admin(name))
        self.servers[name].stop()
        self.servers[name] = self._started(server_id, form)

    def _started(self, server_id: str, form: str) -> Sandbox:
        server = Sandbox(Settings(server_id=server_id)).start()
        admin = self._connect(server, user=server.super_user)
        list_servers(admin, *LISTED)
        write(admin, form)
        return server

    def _wide_client(self, name: str) -> str:
        form = "Client: ann-ws\nOwner: ann\nRoot: /x\nView:\n\t//depot/... //ann-ws/...\n"
        return self._errors(name, form, "client", "-i")

    def _files(self, name: str) -> str:
        return self._errors(name, "", "fstat", "//depot/main/README")

    def _errors(self, name: str, form: str, *command: str) -> str:
        self.act_on(name)
        p4 = P4(port=self.servers[name].port, user="ann", client="ann-ws")
        p4.exception_level = P4.RAISE_NONE
        with p4.connect():
            p4.input = form
            p4.run(*command)
            return "\n".join(p4.errors)


@pytest.fixture
def site(tmp_path: Path, connect: ClientFactory, one_file: Path) -> Iterator[Site]:
    site = Site(tmp_path, connect, one_file)
    (tmp_path / "policy.yaml").write_text(POLICY + POLLING)
    (tmp_path / "policy-2.yaml").write_text(POLICY.replace("admins", "other admins") + POLLING)
    yield site
    site.stop()


def test_the_page_about_several_servers_is_played(site: Site) -> None:
    transcript = []
    try:
        for step in steps():
            if not step.host:
                transcript.append(f"# {step.text}\n")
                site.events[step.text]()
                continue
            output = site.run(step)
            transcript.append(f"{step.host}$ {step.text}\n{output}")
            _check(step, output)
    finally:
        if file := os.environ.get("P4WARDEN_TRANSCRIPT"):
            Path(file).write_text("".join(transcript))
    assert "p4warden." not in table(site.admin("commit"))


def _check(step: Step, output: str) -> None:
    """Check that the page's lines stand in the output in this order; `...` is any text."""
    lines = iter(output.splitlines())
    for expected in step.output:
        parts = map(re.escape, expected.strip().split("..."))
        pattern = re.compile(".*?".join(part.replace(r"\ ", r"\s*") for part in parts))
        assert any(pattern.search(line) for line in lines), f"{expected}\nis not in\n{output}"
