"""The files for a host's systemd, logrotate and Prometheus, held to what p4warden has."""

from __future__ import annotations

import configparser
import fnmatch
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from deploy.wheels import ROOT
from p4warden.commands.deploy.files import OURS
from p4warden.commands.metrics import metrics
from p4warden.commands.pulse import pulse
from p4warden.commands.refresh import refresh
from p4warden.home import decisions, trusted_files

if TYPE_CHECKING:
    import click

DEPLOY = ROOT / "deploy"
SOURCES = (ROOT / "triggers" / "p4warden" / "metrics").glob("*.py")
METRICS = {name for file in SOURCES for name in re.findall(r'"(p4_warden_\w+)"', file.read_text())}


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[method-assign, assignment]
    parser.read(DEPLOY / "systemd" / name)
    return parser


def alerts() -> list[dict[str, Any]]:
    text = (DEPLOY / "prometheus" / "p4warden.rules.yml").read_text()
    return [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("command", [refresh, metrics, pulse], ids=lambda command: command.name)
def test_a_service_runs_its_command_where_it_may_write(command: click.Command) -> None:
    service = unit(f"p4warden-{command.name}.service")["Service"]
    program, name, *options = service["ExecStart"].split()
    assert (program, name) == ("/opt/p4warden/current/bin/p4warden", command.name)
    assert options[:2] == ["--home", trusted_files.DEFAULT]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {option for option in options if option.startswith("--")} <= known
    writable = service["ReadWritePaths"].split()
    paths = [option for option in options if option.startswith("/var/")]
    assert all(any(path.startswith(folder) for folder in writable) for path in paths)
    assert service["User"] == "perforce"
    assert unit(f"p4warden-{command.name}.timer")["Timer"]["OnCalendar"]


def test_the_log_is_turned_over_to_names_that_uninstall_knows() -> None:
    text = (DEPLOY / "logrotate.d" / "p4warden").read_text()
    assert f"{trusted_files.DEFAULT}/{decisions.FILE_NAME} {{" in text
    assert "dateformat .%" in text
    name = f"{decisions.FILE_NAME}.20270301-1803859200.gz"
    assert any(fnmatch.fnmatchcase(name, ours) for ours in OURS)


@pytest.mark.parametrize("alert", alerts(), ids=lambda alert: alert["alert"])
def test_an_alert_has_its_metric_and_its_page(alert: dict[str, Any]) -> None:
    asked = set(re.findall(r"p4_warden_\w+", alert["expr"]))
    assert asked
    assert asked <= METRICS, "p4warden metrics writes no such thing"
    notes = alert["annotations"]
    assert f"\n### {notes['runbook_id']}\n" in (DEPLOY / "README.md").read_text()
    assert notes["summary"]
    assert notes["description"]
    assert alert["labels"]["severity"] in ("info", "warning", "critical")
