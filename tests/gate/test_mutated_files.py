"""Tests that no changed byte of a file that decides lets a refused command through unsaid."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from gate.program import Home, policy
from p4warden.home import allowances
from p4warden.home.allowances import Allowance
from support.examples import every
from support.home_files import facts_file

if TYPE_CHECKING:
    from collections.abc import Callable

MUTATIONS = 2000
OF_ANOTHER = Allowance("a423jn1e", 2**33, "anl", None, {"command": "fstat"}, "wide", "r", "admin")
"""Of a user whose name is a bit away."""

WIDE = {"name": "wide", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 1}
POLICY_RULES = [{**WIDE, "commands": ["fstat"]}, {**WIDE, "name": "files", "commands": ["files"]}]
DEPOTS = {f"depot{n}": {"type": "local", "directories": [f"d{n}"]} for n in range(40)}


def flip(content: bytes, pick: random.Random) -> bytes:
    at = pick.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << pick.randrange(8)]) + content[at + 1 :]


def cut_out(content: bytes, pick: random.Random) -> bytes:
    start = pick.randrange(len(content))
    return content[:start] + content[start + pick.randrange(1, 64) :]


def blank(content: bytes, pick: random.Random) -> bytes:
    start = pick.randrange(len(content))
    end = min(len(content), start + pick.randrange(1, 64))
    return content[:start] + bytes(end - start) + content[end:]


def repeat(content: bytes, pick: random.Random) -> bytes:
    start = pick.randrange(len(content))
    return content[:start] + content[start : start + 64] + content[start:]


WAYS: list[Callable[[bytes, random.Random], bytes]] = [flip, cut_out, blank, repeat]


@pytest.mark.sampled
@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("name", ["policy.json", "facts.json", "allowances.json"])
def test_a_changed_file_lets_no_refused_command_through_unsaid(
    gate_home: Home, name: str, on_error: str
) -> None:
    gate_home.activate(policy(*POLICY_RULES, on_error=on_error))
    (gate_home.folder / "facts.json").write_bytes(facts_file({"depots": DEPOTS}))
    allowances.replace(str(gate_home.folder), [OF_ANOTHER])
    file = gate_home.folder / name
    content = file.read_bytes()
    pick = random.Random(f"{name} {on_error}")  # noqa: S311 - no secret
    allowed = refused = 0
    for _ in range(0, MUTATIONS, every(10)):
        file.write_bytes(pick.choice(WAYS)(content, pick))
        answer = gate_home.fstat("--args=//depot7/...", on_error=on_error)
        assert answer.code in (0, 1)
        is_refused = "rule=wide" in answer.text
        refused += is_refused
        assert on_error == "allow" or answer.code == 1
        allowed += answer.code == 0
    # Without facts or allowances that can be used, the refusal stands, or a fault is counted.
    assert gate_home.counts()["faults"] >= allowed
    assert gate_home.counts()["refused"] >= refused
