"""Tests of `p4warden allow`, from the refusal to the end of an allowance."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, Settings
from support.policies import POLICY
from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server

pytestmark = pytest.mark.touches("table")
VIEW = ["//depot/... //ws/..."]
ANN = r"ann( from \S+)?"  # without an address where the server has users prove their names


def refused_id(p4: P4, description: str = "A demo.") -> str:
    """Save a form that differs: a server may not run triggers for an unchanged one."""
    with pytest.raises(P4Exception) as error:
        p4.save_client({**p4.fetch_client(), "Description": description, "View": VIEW})
    return str(error.value).partition(" id=")[2].split()[0]


def test_an_administrator_allows_a_refused_client_until_the_allowance_is_ended(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY)
    p4 = connect(server)
    refusal_id = refused_id(p4)
    assert warden.must("allow") == "No allowances.\n"
    words = ("--for", "1d", "--reason", "builds all of it")
    lines = warden.must("allow", refusal_id, *words).splitlines()
    assert re.fullmatch(
        f"Allowed until .+: {ANN}: client ws with any content, despite no-whole-depot\\.", lines[0]
    )
    assert lines[1] == f"To end it before: p4warden allow --end {refusal_id} --home {warden.home}"
    p4.save_client({**p4.fetch_client(), "View": VIEW})
    assert warden.must("allow").startswith(f"{refusal_id}  until ")
    assert "1 allowance, the last until " in warden.run("status").output
    assert "builds all of it" in warden.must("report")
    change = warden.must("history").splitlines()[-1]
    assert change.split()[3] == "allow"
    assert re.search(
        f"  builds all of it; {refusal_id}: {ANN}: client ws with any content, despite ", change
    )
    assert f"1 allowance in {warden.home}: " in warden.must("check", str(policy_file(warden)))
    warden.must(*lines[1].partition("p4warden ")[2].split())
    assert refused_id(p4, "Changed.") == refusal_id
    assert warden.must("allow") == "No allowances.\n"


def policy_file(warden: Warden) -> Path:
    return warden.home.parent / "policy.yaml"


def test_explain_names_the_allowance(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY)
    p4 = connect(server)
    p4.save_client({**p4.fetch_client(), "View": ["//depot/main/... //ws/main/..."]})
    refusal_id = refused_id(p4)
    warden.must("allow", refusal_id, "--for", "2h", "--reason", "a demo")
    p4.save_client({**p4.fetch_client(), "View": VIEW})
    output = warden.must("explain", "--spec", "client:ws")
    assert re.search(
        f"by allowance {refusal_id}: {ANN}: client ws with any content, despite ", output
    )


def test_an_unknown_id_and_a_missing_span_are_one_line(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY)
    refusal_id = refused_id(connect(server))
    result = warden.run("allow", "00000000", "--for", "1d", "--reason", "x")
    assert (result.code, result.output.count("\n")) == (1, 1)
    assert "has no refusal 00000000" in result.output
    described = warden.run("allow", refusal_id)
    assert described.code == 2
    assert re.search(
        f"p4warden: to allow {ANN}: client ws with any content, despite no-whole-depot, write "
        f"p4warden allow {refusal_id} --for 1d --reason TEXT --home {warden.home}; "
        "for help",
        described.output,
    )
    assert warden.must("allow") == "No allowances.\n"
    for typed in ("ID", "<id>", refusal_id[1:]):
        result = warden.run("allow", typed, "--for", "1d", "--reason", "x")
        assert result.code == 2
        assert f"{typed} is no id of a refusal: the last line that the user reads ends " in (
            result.output
        )
    assert warden.run("allow", "--end", "00000000").code == 1


@pytest.mark.parametrize(("level", "number"), [("0", 1), ("2", 1), ("3", 0)])
def test_an_allowance_is_bound_to_the_address_where_names_can_be_forged(
    level: str, number: int, tmp_path: Path, connect: ClientFactory
) -> None:
    with Sandbox(Settings(variants={"security": level})) as sandbox:
        warden = Warden(sandbox, tmp_path, connect)
        warden.install(POLICY)
        refusal_id = refused_id(connect(sandbox))
        output = warden.must("allow", refusal_id, "--for", "1d", "--reason", "x")
        assert output.count(" from ") == number


def test_a_damaged_file_of_allowances_is_named_by_doctor(warden: Warden) -> None:
    warden.install(POLICY)
    (warden.home / "allowances.json").write_text("{}")
    output = warden.run("doctor").output
    assert "allowances.json: is damaged; remove it" in output
    assert "none applies: " in output
