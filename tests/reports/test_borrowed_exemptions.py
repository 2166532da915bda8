"""Tests of the users of exemptions by client in `p4warden report`, by the owners in the index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from p4warden.commands.report import report
from p4warden.home import trusted_files
from p4warden.home.trusted_files import INDEX
from p4warden.policy import compiled
from p4warden.policy.compiled import Exemption, Policy
from p4warden.reports.borrowed_exemptions import borrowed_exemptions
from support.figures import figures_of
from support.home_files import facts_file, policy_file
from support.small_index import small_index

BUILDS = "builds (owner: scm)"
RULE: dict[str, Any] = {"name": "no-whole-depot", "rule": "limit_view_scope", "mode": "enforce"}


@pytest.fixture
def home(tmp_path: Path) -> str:
    """Fixture: a home whose index has the clients `build-all` and `ann-ws` of the user `ann`."""
    home = str(tmp_path / "home")
    trusted_files.make(home)
    views = {name: [f"//depot/... //{name}/..."] for name in ("build-all", "ann-ws")}
    index = small_index(tmp_path, {"//depot/a": 9}, views)
    trusted_files.replace(home, INDEX, index.read_bytes())
    return home


def policy(users: tuple[str, ...] | None = None, groups: tuple[str, ...] | None = None) -> Policy:
    fields = {"users": users, "groups": groups, "clients": ("build-*",)}
    selector = {field: names for field, names in fields.items() if names}
    exemption = Exemption("builds", "scm", selector)
    return Policy("x", "", None, "allow", (exemption,), ())


def facts(home: str, *, case_sensitive: bool) -> None:
    text = json.dumps({"case_sensitive": case_sensitive, "depots": {}})
    trusted_files.replace(home, "facts.json", facts_file(text))


def record(user: str, client: str, **more: str | int) -> dict[str, Any]:
    fields = {"time": 10**9, "event": "change-submit", "verdict": "allow", "exemption": BUILDS}
    return {**fields, "rule": "no-whole-depot", "user": user, "client": client, **more}


def listed(
    home: str, rules: Policy, *records: dict[str, Any]
) -> tuple[list[str], list[tuple[str, ...]]]:
    notes, table = borrowed_exemptions(rules, home, figures_of(*records).exempt_uses)
    return notes, [tuple(map(str, row)) for row in table.rows]


def test_users_who_do_not_own_the_client_are_listed_most_uses_first(home: str) -> None:
    records = [
        record("ann", "build-all"),
        record("bob", "build-all"),
        record("eve", "build-all", count=3),
        # Of no exempt client, of a client that is not in the index, and of another exemption.
        record("eve", "ann-ws"),
        record("eve", "build-new"),
        record("eve", "build-all", exemption="night (owner: scm)"),
        # A form of an exempt client, sent from another one.
        record("mal", "mal-ws", event="form-save", type="client", name="build-all"),
        record("mal", "mal-ws", event="form-save", type="stream", name="build-all"),
    ]
    assert listed(home, policy(), *records) == (
        [],
        [
            ("build-all", "ann", "eve", BUILDS, "3"),
            ("build-all", "ann", "bob", BUILDS, "1"),
            ("build-all", "ann", "mal", BUILDS, "1"),
        ],
    )


@pytest.mark.parametrize("rules", [policy(users=("eve",)), policy(groups=("builders",))])
def test_an_exemption_that_names_users_or_groups_is_left_out(home: str, rules: Policy) -> None:
    assert listed(home, rules, record("eve", "build-all")) == ([], [])


@pytest.mark.parametrize("by_folded_user", [0, 1])
def test_names_are_compared_as_the_server_compares_them(home: str, by_folded_user: int) -> None:
    facts(home, case_sensitive=by_folded_user == 1)
    _, rows = listed(home, policy(), record("ANN", "build-all"))
    assert len(rows) == by_folded_user
    _, rows = listed(home, policy(), record("eve", "Build-All"))
    assert len(rows) == 1 - by_folded_user


def test_without_an_index_the_report_says_so_if_such_an_exemption_was_used(
    home: str,
) -> None:
    facts(home, case_sensitive=True)
    make = f"(p4warden index --checkpoint CHECKPOINT --home {home})"
    unknown = "who uses exemptions by client without owning the client is unknown:"
    trusted_files.remove(home, INDEX)
    expected = f"{unknown} the home has no index {make}"
    assert listed(home, policy(), record("eve", "build-all")) == ([expected], [])
    assert listed(home, policy(), record("eve", "build-all", exemption="x")) == ([], [])


def test_the_report_of_a_home_has_the_table(home: str) -> None:
    document = {
        "contact": "x",
        "exemptions": [{"clients": ["build-*"], "reason": "builds", "owner": "scm"}],
        "rules": [RULE],
    }
    running = compiled.compile_policy(document, "0" * 64)
    trusted_files.replace(home, compiled.FILE_NAME, policy_file(compiled.dumps(running)))
    lines = [record(user, "build-all") for user in ("ann", "bob")]
    Path(home, "decisions.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    Path(home, "decisions.jsonl").chmod(0o600)
    words = ["--home", home, "--since", "20000d"]
    output = CliRunner().invoke(report, words, standalone_mode=False).output
    _, _, table = output.partition("Exemptions by client, used by others")
    assert "build-all" in table.partition("Changes")[0], output
    assert " bob " in table.partition("Changes")[0]
