"""Tests of deploy/: its alerts name existing things; index.sh."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from deploy.hosts import ROOT
from p4warden.commands.deploy.files import FILE_PATTERNS

if TYPE_CHECKING:
    from pathlib import Path


DEPLOY = ROOT / "deploy"
SOURCES = (ROOT / "triggers" / "p4warden" / "metrics").glob("*.py")
METRICS = {name for file in SOURCES for name in re.findall(r'"(p4_warden_\w+)"', file.read_text())}


def alerts() -> list[dict[str, Any]]:
    text = (DEPLOY / "prometheus" / "p4warden.rules.yml").read_text()
    return [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """Fixture: a folder with deploy/index.sh, and a fake `p4warden` that records its arguments."""
    share, programs = tmp_path / "share" / "p4warden" / "deploy", tmp_path / "bin"
    for folder in (share, programs, tmp_path / "ckp", tmp_path / "home"):
        folder.mkdir(parents=True)
    shutil.copy(DEPLOY / "index.sh", share)
    program = programs / "p4warden"
    program.write_text('#!/bin/sh\nprintf "%s " "$@"\n')
    program.chmod(0o755)
    return tmp_path


def indexed(host: Path, **more: str) -> tuple[int, str]:
    """Run index.sh; return its exit code, and the p4warden commands it ran or its error
    messages.
    """
    process = subprocess.run(
        ["/bin/sh", str(host / "share/p4warden/deploy/index.sh")],
        capture_output=True,
        text=True,
        check=False,
        env={"P4WARDEN_HOME": f"{host}/home", "PATH": "/usr/bin:/bin", **more},
    )
    return process.returncode, (process.stdout + process.stderr).strip()


def test_index_sh_reads_the_newest_complete_checkpoint(host: Path) -> None:
    prefix = {"P4WARDEN_CHECKPOINTS": f"{host}/ckp/p4_1.ckp"}
    assert indexed(host)[0] == 2
    assert indexed(host, **prefix)[0] == 1
    for age_s, name in ((300, "8.gz"), (200, "9.gz"), (100, "10.gz")):
        (host / "ckp" / f"p4_1.ckp.{name}").write_text("x")
        os.utime(host / "ckp" / f"p4_1.ckp.{name}", (1e9 - age_s, 1e9 - age_s))
    for name in ("8.gz.md5", "9.md5"):
        (host / "ckp" / f"p4_1.ckp.{name}").write_text("x")
    words = f"index --home {host}/home --checkpoint {host}/ckp/p4_1.ckp.9.gz"
    assert indexed(host, **prefix) == (0, words)
    assert indexed(host, **prefix, P4WARDEN_SERVER_ID="a b") == (0, f"{words} --server-id a b")
    (host / "home" / "checkpoint.index").write_text("x")
    assert indexed(host, **prefix) == (0, "")
    os.utime(host / "home" / "checkpoint.index", (1e9 - 250, 1e9 - 250))
    assert indexed(host, **prefix) == (0, words)


@pytest.mark.parametrize(
    "name",
    [
        "p4enviro",
        "prove.json",
        "running.json",
        "running.lock",
    ],
)
def test_uninstall_removes_files_of_single_subcommands(name: str) -> None:
    assert any(fnmatch.fnmatchcase(name, pattern) for pattern in FILE_PATTERNS)


@pytest.mark.parametrize("alert", alerts(), ids=lambda alert: alert["alert"])
def test_an_alert_uses_existing_metrics_and_has_a_runbook(alert: dict[str, Any]) -> None:
    query = set(re.findall(r"p4_warden_\w+", alert["expr"]))
    assert query
    assert query <= METRICS, "p4warden metrics writes no such thing"
    notes = alert["annotations"]
    assert f"\n### {notes['runbook_id']}\n" in (DEPLOY / "README.md").read_text()
    assert notes["summary"]
    assert notes["description"]
    assert alert["labels"]["severity"] in ("info", "warning", "critical")


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool: alerts are not played")
def test_the_alerts_fire_as_the_cases_say() -> None:
    file = ROOT / "tests" / "cases" / "alerts" / "p4warden.rules.test.yml"
    command = ["promtool", "test", "rules", str(file)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
