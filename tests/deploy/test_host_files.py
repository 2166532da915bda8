"""The files for a host's systemd, logrotate and Prometheus, held to what p4warden has."""

from __future__ import annotations

import configparser
import re
from typing import Any

import pytest
import yaml

from deploy.wheels import ROOT
from p4warden import decisions, home
from p4warden.commands.deploy.files import OURS
from p4warden.commands.refresh import refresh

DEPLOY = ROOT / "deploy"
METRICS = {
    "p4_warden_decisions_total",
    "p4_warden_exemption_expires_seconds",
    "p4_warden_facts_age_seconds",
    "p4_warden_failopen_total",
    "p4_warden_log_writable",
    "p4_warden_policy_info",
}


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[method-assign, assignment]
    parser.read(DEPLOY / "systemd" / name)
    return parser


def alerts() -> list[dict[str, Any]]:
    text = (DEPLOY / "prometheus" / "p4warden.rules.yml").read_text()
    return [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


def test_the_service_runs_refresh_in_the_home_it_may_write_to() -> None:
    service = unit("p4warden-refresh.service")["Service"]
    assert service["ExecStart"] == (
        f"/opt/p4warden/current/bin/p4warden {refresh.name} --home {home.DEFAULT}"
    )
    assert service["ReadWritePaths"] == home.DEFAULT
    assert service["User"] == "perforce"
    assert unit("p4warden-refresh.timer")["Timer"]["OnCalendar"] == "hourly"


def test_the_log_is_turned_over_to_names_that_uninstall_knows() -> None:
    text = (DEPLOY / "logrotate.d" / "p4warden").read_text()
    assert f"{home.DEFAULT}/{decisions.FILE_NAME} {{" in text
    assert "dateformat .%" in text
    assert f"{decisions.FILE_NAME}.*" in OURS


@pytest.mark.parametrize("alert", alerts(), ids=lambda alert: alert["alert"])
def test_an_alert_has_its_metric_and_its_page(alert: dict[str, Any]) -> None:
    asked = set(re.findall(r"p4_warden_\w+", alert["expr"]))
    assert asked
    assert asked <= METRICS
    notes = alert["annotations"]
    assert f"\n### {notes['runbook_id']}\n" in (DEPLOY / "README.md").read_text()
    assert notes["summary"]
    assert notes["description"]
    assert alert["labels"]["severity"] in ("info", "warning", "critical")
