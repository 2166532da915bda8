"""Tests of `p4warden init`, which drafts a starter policy from a running server."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from p4warden.policy.check import check_file
from support.sources import unsourced

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server
    from support.warden import Warden


def test_a_starter_policy_passes_check_and_test_and_can_be_activated(
    server: Server, warden: Warden, connect: ClientFactory, tmp_path: Path
) -> None:
    p4 = connect(server)
    p4.save_client({**p4.fetch_client(), "View": ["//depot/main/... //ws/main/..."]})
    admin = connect(server, user=server.super_user)
    admin.save_group({"Group": "admins", "Users": [server.super_user]})
    file = tmp_path / "starter.yaml"
    text = warden.must("init", home=False)
    output = warden.must("init", "--output", str(file), home=False)
    cases = tmp_path / "starter.cases.yaml"
    assert output == (
        f"Wrote the policy to {file} and its test cases to {cases}. "
        f"Next, run: p4warden check {file}\n"
    )
    assert '"//depot/... //ws/..."' in cases.read_text()
    assert warden.must("test", str(file), home=False) == "3 cases, 0 failed\n"
    assert file.read_text() == text
    assert "# 3 depots, 1 client, 2 groups." in text
    assert f'contact: "{server.super_user} <{server.super_user}@' in text
    assert '#- {groups: ["build-farm"], rules: [wide-views]' in text
    assert '  - {groups: ["admins"], rules: [polling], reason: "p4warden asks' in text
    assert "  # //depot (local): " in text
    report = check_file(str(file), datetime.date(2026, 11, 21))
    assert (report.problems, report.warnings) == ((), ())
    assert unsourced(text) == []
    assert "rules: 5 observe" in warden.must("activate", str(file))


def test_init_replaces_an_existing_file_only_with_force(warden: Warden, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("mine\n")
    message = warden.must("init", "--output", str(file), home=False, code=1)
    assert message == f"p4warden: {file} exists already; --force replaces it\n"
    assert file.read_text() == "mine\n"
    (tmp_path / "free.cases.yaml").write_text("mine\n")
    message = warden.must("init", "--output", str(tmp_path / "free.yaml"), home=False, code=1)
    assert message.endswith("free.cases.yaml exists already; --force replaces it\n")
    assert not (tmp_path / "free.yaml").exists()
    warden.must("init", "--output", str(file), "--force", home=False)
    assert file.read_text().startswith("# A starter policy")
    spaced = str(tmp_path / "a policy.yaml")
    output = warden.must("init", "--output", spaced, home=False)
    assert output.endswith(f"Next, run: p4warden check '{spaced}'\n")
    nowhere = str(tmp_path / "no" / "where.yaml")
    output = warden.must("init", "--output", nowhere, home=False, code=1)
    assert output == f"p4warden: {nowhere}: cannot be written: No such file or directory\n"
