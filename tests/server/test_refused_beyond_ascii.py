"""Tests of refusals with names and advice beyond ASCII, as an unmodified client shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, Settings
from support.home_files import facts_file
from support.warden import Warden, facts

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory

pytestmark = [pytest.mark.touches("*")]

POLICY = """\
version: 1
contact: "admins@example.com"
rules:
  - name: no-whole-depot
    rule: limit_view_scope
    mode: enforce
    advice: Frag Jörg im Büro 中.
  - name: narrow-commands
    rule: limit_command_scope
    mode: enforce
    commands: [files]
    advice: Frag Jörg im Büro 中.
"""
FORM = "View line 1 of your client jörg-ws (//depot/... //jörg-ws/...) maps all of //depot; "
ADVICE = "Frag Jörg im Büro 中.\nQuestions: "


def refusals(p4: P4) -> list[str]:
    """Save a wide client view and run a command with a wide path; return both refusals' texts."""
    texts = []
    for command in (save, files):
        with pytest.raises(P4Exception) as error:
            command(p4)
        texts.append(str(error.value))
    return texts


def save(p4: P4) -> None:
    p4.save_client({**p4.fetch_client(), "View": ["//depot/... //jörg-ws/..."]})


def files(p4: P4) -> None:
    p4.run("files", "//depot/.../ö*")


@pytest.mark.parametrize("unicode", [False, True])
def test_non_ascii_text_in_refusals_is_escaped_except_on_unicode_servers(
    tmp_path: Path, connect: ClientFactory, *, unicode: bool
) -> None:
    with Sandbox(Settings(unicode=unicode)) as server:
        p4 = connect(server, client="jörg-ws")
        Warden(server, tmp_path, connect).install(POLICY)
        form, command = refusals(p4)
    if unicode:
        assert FORM in form
        assert ADVICE in form
        assert "(//depot/.../ö*) asks for all paths below //depot that match .../ö*; " in command
        assert ADVICE in command
    else:
        assert form.isascii()
        assert command.isascii()
        assert FORM.replace("ö", "\\xf6") in form
        assert "Frag J\\xf6rg im B\\xfcro \\u4e2d.\nQuestions: " in form
        assert "Frag J\\xf6rg im B\\xfcro \\u4e2d.\nQuestions: " in command
        assert "(//depot/.../\\xf6*) asks for" in command


def test_facts_without_the_unicode_setting_give_ascii_refusals_until_a_refresh(
    tmp_path: Path, connect: ClientFactory
) -> None:
    with Sandbox(Settings(unicode=True)) as server:
        p4 = connect(server, client="jörg-ws")
        warden = Warden(server, tmp_path, connect)
        warden.install(POLICY)
        known = facts_file({**facts(warden), "unicode": None})
        (warden.home / "facts.json").write_bytes(known)
        warden.activate(POLICY)
        assert all(refusal.isascii() for refusal in refusals(p4))
        warden.must("refresh")
        assert not any(refusal.isascii() for refusal in refusals(p4))
