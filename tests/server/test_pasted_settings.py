"""Tests that every `p4 configure set` in p4warden's messages is accepted as written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p4warden_sandbox import Sandbox
    from support.servers import ClientFactory

SOURCES = Path(__file__).parents[2] / "triggers" / "p4warden"
SETTING = re.compile(r"p4 configure set ([a-z]+(?:\.[a-z]+)*=[0-9]+)")
KNOWN = {"monitor=1", "server=2", "server=3", "track=1"}


def test_each_setting_that_a_message_proposes_is_accepted(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    texts = (file.read_text() for file in SOURCES.rglob("*.py"))
    settings = {setting for text in texts for setting in SETTING.findall(text)}
    assert settings >= KNOWN
    p4 = connect(sandbox, user=sandbox.super_user)
    for setting in sorted(settings):
        p4.run("configure", "set", setting)
        name, _, value = setting.partition("=")
        assert value in [row["Value"] for row in p4.run("configure", "show", name)]
