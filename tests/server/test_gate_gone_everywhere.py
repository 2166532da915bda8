"""Each subcommand while the gate does not start, in each way to lose it."""

from __future__ import annotations

import io
import json
import os
import platform
import pwd
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from P4 import P4Exception

from p4warden import __version__
from p4warden.asking import policy_lines, remarks
from p4warden.commands.deploy import deploy
from p4warden.commands.log import log
from p4warden.core.subcommands import SUBCOMMANDS
from p4warden.history import trail
from p4warden.prove import facts_file
from p4warden.prove.report import as_document, report_of
from support.broken_gates import Host
from support.examples import long_but
from support.policies import POLICY, POLLING
from support.warden import Warden
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.servers import ClientFactory, Server

CASES: dict[str, Any] = yaml.safe_load(
    Path("tests/cases/gate_gone/subcommands.yaml").read_text("utf-8")
)
WAYS: dict[str, Callable[[Host, Path], object]] = {
    "removed": lambda host, _: host.gate.unlink(),
    "not executable": lambda host, _: host.close(),
    "mounted noexec": lambda host, noexec: host.move_to(noexec),
    "another processor": lambda host, _: host.name_another_machine(),
    "link into a removed version": lambda host, _: host.lead_to("../../0/bin/p4warden-gate"),
    "empty": lambda host, _: host.replace_gate(""),
    "killed by a signal": lambda host, _: host.replace_gate("#!/bin/sh\nkill -9 $$\n"),
}


@pytest.fixture
def host(public_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host(public_folder)
    host.add_programs()
    monkeypatch.setattr(sys, "executable", host.python)
    return host


@pytest.fixture
def mounted(request: pytest.FixtureRequest, way: str) -> Path:
    """Fixture: a folder without execution for the way that needs one."""
    folder = request.getfixturevalue("noexec") if way == "mounted noexec" else Path()
    assert isinstance(folder, Path)
    return folder


@pytest.fixture
def words(
    server: Server, connect: ClientFactory, host: Host, mounted: Path, tmp_path: Path
) -> dict[str, str]:
    """Fixture: what stands for the words in braces, after the installation."""
    warden = Warden(server, host.prefix.parent, connect)
    return {**of_host(host, mounted), **files(tmp_path), **installed(warden, server, connect)}


@pytest.mark.parametrize("way", long_but(["removed"], WAYS))
def test_each_subcommand_says_what_is_left_out_and_the_way_out(
    server: Server,
    host: Host,
    mounted: Path,
    words: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    WAYS[way](host, mounted)
    for name, text in {**CASES["texts"], **CASES["ways"][way]}.items():
        words[name] = text.format(**words)
    words |= {name: text.format(**words) for name, text in CASES["says"].items()}
    warden = Warden(server, host.prefix.parent)
    failures = [
        f"{cell['run']}: {problem}"
        for cell in CASES["cells"]
        for problem in problems(warden, monkeypatch, cell, words)
    ]
    assert not failures, "\n".join(failures)


def problems(
    warden: Warden, monkeypatch: pytest.MonkeyPatch, cell: dict[str, Any], words: dict[str, str]
) -> Iterator[str]:
    """Run a subcommand as a process of its own would, and yield what is not as expected."""
    policy_lines.of_rules.cache_clear()
    remarks._about.cache_clear()
    given = SimpleNamespace(buffer=io.BytesIO(cell.get("input", "").encode()))
    monkeypatch.setattr(sys, "stdin", given)
    command = [word.format(**words) for word in cell["run"]]
    code, output = warden.run(*command, home=cell.get("home", True))
    if code != cell.get("code", 0):
        yield f"ends with {code}: {output}"
    for text in cell["says"]:
        if text.format(**words) not in output:
            yield f"lacks {text.format(**words)!r}: {output}"
    if "Traceback" in output or "internal error" in output:
        yield output


def of_host(host: Host, mounted: Path) -> dict[str, str]:
    return {
        "gate": str(host.gate),
        "prefix": str(host.prefix),
        "version": __version__,
        "noexec": str(mounted),
        "account": pwd.getpwuid(os.geteuid()).pw_name,
        "machine": platform.machine(),
    }


def files(folder: Path) -> dict[str, str]:
    """Write the files that the subcommands read; return their paths."""
    report = report_of(b"P4D/LINUX26X86_64/2024.2/1", facts_file.experiments(), {})
    contents = {
        "policy": POLICY,
        "other": POLICY + POLLING + POLLING.replace("name: fstat", "name: files"),
        "cases": "cases: []\n",
        "checkpoint": whole(""),
        "recorded": json.dumps(as_document(report)),
        "log": Path("tests/cases/logs/triggers.log").read_text("utf-8"),
    }
    for name, content in contents.items():
        (folder / name).write_text(content, "utf-8")
    return {"folder": str(folder), **{name: str(folder / name) for name in contents}}


def installed(warden: Warden, server: Server, connect: ClientFactory) -> dict[str, str]:
    """Install a policy, remove its lines, install another one, and allow what it refused."""
    warden.install(POLICY)
    warden.must("deploy", "uninstall", "--yes")
    earlier = number_of_last_change(warden)
    connect.anew()
    warden.install(POLICY + POLLING)
    latest = number_of_last_change(warden)
    p4 = connect(server)
    form = {"Client": "ws", "Root": "/ws", "View": ["//depot/... //ws/..."]}
    with pytest.raises(P4Exception, match=r"id=\w+") as refusal:
        p4.save_client(form)
    p4.save_client({**form, "View": ["//depot/main/... //ws/..."]})
    [refusal_id] = re.findall(r"id=(\w+)", str(refusal.value))
    warden.must("allow", refusal_id, "--for", "1h", "--reason", "a test")
    return {
        "home": str(warden.home),
        "port": server.port,
        "active": str(warden.home.parent / "policy.yaml"),
        "earlier": earlier,
        "latest": latest,
        "id": refusal_id,
    }


def number_of_last_change(warden: Warden) -> str:
    *_, last = trail.changes(str(warden.home))
    return str(last.number)


def test_every_subcommand_has_a_cell() -> None:
    groups = {"deploy": deploy, "log": log}
    expected = {name for name in SUBCOMMANDS if name not in groups}
    expected |= {f"{group} {name}" for group in groups for name in groups[group].commands}
    tried = [cell["run"] for cell in CASES["cells"]]
    assert expected == {" ".join(run[: 1 + (run[0] in groups)]) for run in tried}
