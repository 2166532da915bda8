"""Tests of commands with long arguments, such as an editor's status update of 5,000 files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden_sandbox import Sandbox, Settings
from support.servers import errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.servers import ClientFactory, Server
    from support.warden import Warden

LONG = pytest.mark.long
POLICIES = Path(__file__).parents[2] / "policies"
MOST_BYTES = 128 * 1024
UPDATE = [
    f"//depot/main/Game/Content/__ExternalActors__/Maps/City/0/3B/Actor-{number:05}.uasset"
    for number in range(5_000)
]
SCOPE = """\
version: 1
contact: "admins@example.com"
rules:
  - {name: narrow, rule: limit_command_scope, mode: enforce, commands: [fstat, files]}
  - name: repeated
    rule: limit_command_rate
    mode: enforce
    commands: [fstat]
    limits:
      - {per: [user], allow: 50/s, burst: 500}
      - {per: [user, args], allow: 1/h, burst: 2}
"""


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Fixture: a sandbox with the parameter's variants."""
    with Sandbox(Settings(variants=request.param)) as sandbox:
        yield sandbox


def both() -> pytest.MarkDecorator:
    values = ({"triggers-io": "0"}, {"triggers-io": "1"})
    return pytest.mark.parametrize("server", values, ids=str, indirect=True)


def with_dictionary() -> pytest.MarkDecorator:
    """Run a test with each notation; all but the first are a long matrix."""
    values = [
        {"triggers-io": "1", "dictionary-notation": notation, "dictionary-values": form, "args": w}
        for notation in ("colon", "colon-blank")
        for form in ("encoded", "plain")
        for w in ("plain", "quoted", "doubled")
    ]
    ids = ["-".join([*value.values()][1:]) for value in values]
    rows = [values[0], *(pytest.param(value, marks=LONG) for value in values[1:])]
    return pytest.mark.parametrize("server", rows, ids=ids, indirect=True)


def deployed(warden: Warden, policy: str) -> None:
    if policy == "init":
        file = warden.home.parent / "init.yaml"
        warden.must("init", "--output", str(file), home=False)
    else:
        file = POLICIES / f"{policy}.yaml"
    warden.install(file.read_text())


@LONG
@both()
@pytest.mark.parametrize("policy", ["observe-everything", "default", "init"])
def test_an_update_of_5000_files_passes_a_policy_that_only_observes(
    server: Server, warden: Warden, connect: ClientFactory, policy: str
) -> None:
    deployed(warden, policy)
    assert len(" ".join(UPDATE)) > 2 * MOST_BYTES
    assert errors(connect(server), "fstat", *UPDATE) == ""
    assert warden.counts()["allowed"] == 1


@both()
def test_a_rule_that_needs_arguments_stops_it_unless_they_are_on_standard_input(
    server: Sandbox, warden: Warden, connect: ClientFactory
) -> None:
    deployed(warden, "observe-arguments")
    p4 = connect(server)
    assert errors(p4, "fstat", *UPDATE[:1300]) == ""
    text = errors(p4, "fstat", *UPDATE)
    if server.settings.behaves("triggers-io", "1"):
        assert text == ""
    else:
        assert text.startswith("'p4warden.command' validation failed: Execution Failed: ")
        assert text.endswith("Argument list too long")


@with_dictionary()
def test_arguments_are_judged_whatever_the_notation_of_the_dictionary(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(SCOPE)
    p4 = connect(server)
    assert errors(p4, "files", "//depot/main/a b", "//depot/main/...") == ""
    assert "rule=narrow" in errors(p4, "files", "//depot/main/a b", "", "//depot/...")
    for text in ("\n", "\nargs:x", "\nuser:ann", "\nargc:1", "\nwho:x", "\r\nargs: x\r\n"):
        assert "rule=narrow" in errors(p4, "files", f"//depot/main/a{text}", "//depot/...")
    for _ in range(2):
        assert errors(p4, "fstat", "//depot/main/a%40b") == ""
    assert "rule=repeated" in errors(p4, "fstat", "//depot/main/a%40b")
    assert errors(p4, "fstat", "//depot/main/a%2540b") == ""


@LONG
@both()
def test_off_doctor_and_status_name_lines_that_pass_arguments_and_the_way_out_works(
    server: Sandbox, warden: Warden, connect: ClientFactory
) -> None:
    deployed(warden, "observe-arguments")
    is_passed = not server.settings.behaves("triggers-io", "1")
    p4 = connect(server)
    needs = "need the arguments of commands: p4d refuses"
    for command in ("doctor", "status"):
        assert (needs in warden.run(command).output) == is_passed
    text = warden.run("off").output
    way_out = rf"Take the lines out: (\S*/)?p4warden deploy uninstall --home {warden.home}\n"
    assert (re.search(way_out, text) is not None) == is_passed
    assert ("Argument list too long" in errors(p4, "fstat", *UPDATE)) == is_passed
    warden.must("deploy", "uninstall", "--yes")
    assert errors(connect(server), "fstat", *UPDATE) == ""


@pytest.mark.parametrize("server", [{"triggers-io": "0"}], indirect=True)
def test_rules_in_mode_off_and_a_deploy_end_the_warning(warden: Warden) -> None:
    deployed(warden, "default")
    warden.install(SCOPE)
    assert "narrow and repeated need the arguments" in warden.run("doctor").output
    assert "need the arguments" not in warden.must("deploy", "rollback", "--yes")
    text = warden.must("deploy", "rollback", "--to", "4", "--yes")
    assert (
        "Note: narrow and repeated need the arguments of commands: unless triggers.io is" in text
    )
    warden.install(SCOPE.replace("mode: enforce", "mode: off"))
    assert "the arguments of commands" not in warden.run("doctor").output


@LONG
@pytest.mark.parametrize("server", [{"triggers-io": "0"}], indirect=True)
def test_doctor_names_a_user_with_over_100_kib_of_groups(warden: Warden) -> None:
    warden.install(SCOPE)
    assert "the names of the groups" not in warden.run("doctor").output
    groups = {f"{'g' * 90}-{number:04}": ["ann"] for number in range(1_200)}
    document = {"format": 1, "users": ["ann", "bob"], "groups": groups, "owners": {}}
    (warden.home / "names.json").write_text(json.dumps(document))
    assert "the names of the groups of ann add up to 112 KiB" in warden.run("doctor").output
