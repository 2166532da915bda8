"""Tests of `p4warden census` on a running server, and of the baseline of tolerated findings.

Also of the pauses between its queries, and of counts by a checkpoint index.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from P4 import P4, P4Exception

from p4warden.commands.pace import Pace
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server
    from support.warden import Warden

pytestmark = pytest.mark.touches("table", "unchanged-form", "form-fields")

POLICY = """\
version: 1
contact: "admins@example.com"
exemptions:
  - {groups: [build-farm], reason: builds, owner: ci}
rules:
  - name: no-whole-depot
    rule: limit_view_scope
    mode: enforce
    forms: [client, stream, branch, label]
  - {name: seen, rule: limit_path_length, mode: observe, max_leading: 30}
  - {name: depots, rule: limit_depot_count, mode: enforce, max: 1}
"""


def save(p4: P4, name: str, *view: str, **fields: str) -> list[str]:
    p4.client = name
    client = p4.fetch_client(name)
    client |= {"View": [line.format(name) for line in view], **fields}
    return p4.save_client(client)


def census(warden: Warden) -> dict[str, dict[str, Any]]:
    lines = warden.must("census", "--json", "--max-per-second", "1000/s").splitlines()
    return {one["name"]: one for one in map(json.loads, (x for x in lines if x[0] == "{"))}


def test_census_judges_each_spec_as_if_the_owner_saved_it(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    p4 = connect(server)
    save(p4, "wide", "//depot/... //{}/...")
    save(p4, "narrow", "//depot/main/... //{}/...")
    save(p4, "long", f"//depot/{'x' * 40}/... //{{}}/...")
    save(connect(server, user="build"), "built", "//depot/... //{}/...")
    label = p4.fetch_label("all")
    p4.save_label(label | {"View": ["//..."]})
    branch = p4.fetch_branch("copy")
    p4.save_branch(branch | {"View": ["//depot/main/... //depot/rel/..."]})
    warden.prepare(POLICY)

    specs = census(warden)
    verdicts = {name: (one["type"], one["verdict"], one["rule"]) for name, one in specs.items()}
    assert verdicts["wide"] == ("client", "refuse", "no-whole-depot")
    assert verdicts["narrow"] == ("client", "allow", None)
    assert verdicts["long"] == ("client", "observe", "seen")
    assert verdicts["built"] == ("client", "allow", None)
    assert verdicts["all"] == ("label", "refuse", "no-whole-depot")
    assert verdicts["copy"] == ("branch", "allow", None)
    assert verdicts["depot"] == ("depot", "allow", None)
    assert specs["wide"]["owner"] == "ann"
    assert specs["wide"]["accessed"] is not None
    assert "//depot/" in specs["wide"]["fix"]
    assert "form-out triggers run" in warden.must("census")


def test_baseline_findings_may_be_saved_again_and_new_findings_are_refused(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    p4 = connect(server)
    save(p4, "wide", "//depot/... //{}/...")
    warden.install(POLICY.replace("enforce\n    forms", "enforce\n    baseline: true\n    forms"))
    assert (
        "there is no census" in warden.run("activate", str(warden.home / "../policy.yaml")).output
    )
    assert "p4warden census --write-baseline" in warden.run("doctor").output
    save(p4, "wide", "//depot/... //{}/...", Description="let through by on_error")
    assert "baseline.json" in warden.log()[-1]["fault"]

    output = warden.must("census", "--write-baseline")
    assert "1 spec recorded in the baseline" in output
    assert (
        "  (Only rules with baseline: true tolerate these. "
        "To end that, set baseline_until: DATE.)\n" in output
    )
    last = warden.must("history").splitlines()[-1]
    assert " baseline " in last
    assert last.endswith("1 spec")
    assert (warden.home / "baseline.json").stat().st_mode & 0o777 == 0o600
    assert census(warden)["wide"]["verdict"] == "observe"
    save(p4, "wide", "//depot/... //{}/...", Description="new words")
    assert warden.log()[-1]["verdict"] == "observe"
    with pytest.raises(P4Exception, match=r"View line 2 of your client wide \(//depot/x\*/"):
        save(p4, "wide", "//depot/... //{}/...", "//depot/x*/... //{}/x*/...")
    with pytest.raises(P4Exception, match="rule=no-whole-depot "):
        save(p4, "other", "//depot/... //{}/...")
    save(p4, "wide", "//depot/main/... //{}/...")
    form = {"event": "form-save", "type": "client", "name": "wide", "user": "ann"}
    event = warden.home / "event.json"
    event.write_text(json.dumps(form | {"form": "View:\n\t//depot/... //wide/...\n"}))
    assert "(in the baseline)" in warden.must("explain", str(event))


def test_pace_spaces_commands_evenly_and_a_pause_permits_no_burst() -> None:
    pauses_s: list[float] = []
    times = iter([0, 10, 1_000_000_000, 1_000_000_005])
    pace = Pace(100, lambda: next(times), pauses_s.append)
    for _ in range(4):
        pace.wait()
    assert pauses_s == [90e-9, 95e-9]


CENSUS_POLICY = """\
version: 1
contact: "admins@example.com"
exemptions:
  - {users: ["*"], rules: [options], reason: everyone for now, owner: scm}
rules:
  - name: options
    rule: suggest_client_options
    mode: enforce
    wishes: [{ips: ["*"], options: [compress]}]
  - name: polling
    rule: limit_command_rate
    mode: enforce
    commands: [clients, client, depots]
    limits: [{per: [user], allow: 1000 per 1s, burst: 1000}]
  - {name: long, rule: limit_path_length, mode: enforce, max_leading: 100}
"""


def test_census_doctor_and_status_are_counted_as_any_program_is(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    p4 = connect(server)
    for name in ("one", "two", "three"):
        save(p4, name, "//depot/main/... //{}/...")
    warden.install(CENSUS_POLICY)
    before = warden.counts()

    assert {"one", "two", "three"} <= census(warden).keys()
    warden.run("doctor")
    warden.run("status")

    after = warden.counts()
    assert after["allowed"] > before["allowed"]
    assert after["refused"] == before["refused"]


def test_census_with_an_index_counts_the_files_that_a_client_maps(
    server: Server, warden: Warden, connect: ClientFactory, tmp_path: Path
) -> None:
    p4 = connect(server)
    save(p4, "wide", "//depot/... //{}/...")
    warden.prepare(
        POLICY + "  - {name: few, rule: limit_view_scope, mode: observe, max_files: 9}\n"
    )
    index = small_index(tmp_path, {"//depot/main": 703}, {"wide": ["//depot/... //wide/..."]})
    lines = warden.must("census", "--json", "--index", str(index)).splitlines()
    specs = {one["name"]: one for one in map(json.loads, (x for x in lines if x[0] == "{"))}
    assert (specs["wide"]["files"], specs["wide"]["have"]) == (703, 0)
    assert specs["wide"]["verdict"] == "refuse"
