"""Tests of what is said while no event can be judged, and of the commands that are proposed."""

from __future__ import annotations

import shutil
from itertools import count
from typing import TYPE_CHECKING

import pytest
from P4 import P4Exception

from support.examples import long_but
from support.pasted import advice, checks, paste
from support.policies import POLICY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.servers import ClientFactory, Server
    from support.warden import Warden

DENY = POLICY.replace("rules:\n", "on_error: deny\nrules:\n", 1)
_NUMBERS = count()
WIDE, NARROW = "//depot/... //ws/...", "//depot/main/... //ws/..."


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def let_others_write(file: Path) -> None:
    file.chmod(0o666)


WAYS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "policy missing": ("policy.json", lambda file: file.unlink()),
    "policy damaged": ("policy.json", cut),
    "policy not trusted": ("policy.json", let_others_write),
    "facts damaged": ("facts.json", cut),
}


def save(server: Server, connect: ClientFactory, view: str) -> bool:
    """Tell whether p4d takes a client with this view, which is never saved unchanged."""
    p4 = connect(server, user="ann")
    root = f"/ws/{next(_NUMBERS)}"
    try:
        p4.save_client({"Client": "ws", "Root": root, "View": [view]})
    except P4Exception:
        return False
    return True


@pytest.mark.parametrize("way", long_but(["policy missing", "facts damaged"], WAYS))
def test_the_answer_of_the_lines_is_said_and_the_way_out_works(
    way: str, server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(DENY)
    name, lose = WAYS[way]
    lose(warden.home / name)
    assert not save(server, connect, NARROW)
    said = warden.must("doctor", code=1)
    first, *_ = said.splitlines()
    assert first.startswith(f"bad: answer: {warden.home}/{name}: ")
    assert first.endswith(
        ", so nothing is judged: p4d refuses every save of a client (on_error: deny)"
    )
    off, mend, out = advice(checks(warden, 1)["answer"]["remedy"])
    work = "first let everybody work (--for 2h gives it an end):\n  p4warden off "
    assert f"\nWithout delay: {work}" in warden.must("status", code=1)
    code = 0 if name == "policy.json" else warden.run("metrics").code
    assert "p4d refuses every save of a client" in warden.must("metrics", code=code)
    paste(warden, off)
    assert save(server, connect, WIDE)
    assert "p4warden is off, so p4d allows everything; once it is on, " in warden.must(
        "doctor", code=1
    )
    paste(warden, mend)
    assert not save(server, connect, WIDE)
    assert save(server, connect, NARROW)
    assert "answer" not in checks(warden, 0)
    lose(warden.home / name)
    paste(warden, out)
    assert save(server, connect, WIDE)


def test_lines_that_allow_are_said_to_let_everything_through(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY)
    (warden.home / "policy.json").unlink()
    assert save(server, connect, WIDE)
    answer = checks(warden, 1)["answer"]
    assert answer["message"].endswith(": p4d allows every save of a client (on_error: allow)")
    mend, _ = advice(answer["remedy"])
    paste(warden, mend)
    assert not save(server, connect, WIDE)


def test_a_home_that_is_gone_is_told_with_its_lines(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(DENY)
    shutil.rmtree(warden.home)
    answer = checks(warden, 1)["answer"]
    assert answer["message"].startswith(f"{warden.home} does not exist, so nothing is judged: p4d")
    [out] = advice(answer["remedy"])
    paste(warden, out)
    assert save(server, connect, WIDE)


def test_nothing_is_said_without_lines(warden: Warden) -> None:
    warden.prepare(DENY)
    (warden.home / "policy.json").unlink()
    assert "answer" not in checks(warden, 1)


@pytest.mark.parametrize("edit", [None, "version: 1\n"], ids=["deleted", "edited"])
def test_without_the_yaml_of_the_policy_the_stored_one_is_restored(
    edit: str | None, server: Server, warden: Warden, connect: ClientFactory, tmp_path: Path
) -> None:
    warden.install(DENY)
    before = (warden.home / "policy.json").read_bytes()
    yaml = tmp_path / "policy.yaml"
    if edit is None:
        yaml.unlink()
    else:
        yaml.write_text(edit)
    (warden.home / "policy.json").unlink()
    remedy = checks(warden, 1)["policy"]["remedy"]
    # 1 activated it, 2 refreshed the facts, 3 deployed it.
    assert remedy == f"p4warden deploy rollback --to 3 --home {warden.home}"
    paste(warden, remedy)
    assert (warden.home / "policy.json").read_bytes() == before
    assert not save(server, connect, WIDE)


@pytest.mark.parametrize("command", [["activate"], ["deploy", "plan"], ["evaluate"]])
def test_every_command_that_needs_the_policy_names_one_that_restores_it(
    command: list[str], warden: Warden
) -> None:
    warden.install(DENY)
    (warden.home / "policy.json").unlink()
    result = warden.run(*command)
    assert result.code in (1, 2)
    paste(warden, result.output.rpartition("; run ")[2])
    assert (warden.home / "policy.json").exists()


def test_a_home_that_follows_takes_the_policy_and_the_facts_again(
    warden: Warden, tmp_path: Path
) -> None:
    warden.prepare(DENY)
    folder = tmp_path / "shared"
    warden.must("share", str(folder))
    shutil.rmtree(warden.home)
    warden.must("follow", str(folder))
    for name in ("policy.json", "facts.json"):
        cut(warden.home / name)
        check = checks(warden, 1)[name.removesuffix(".json")]
        assert check["remedy"] == f"p4warden follow {folder} --home {warden.home}"
        paste(warden, check["remedy"])
        assert name.removesuffix(".json") not in checks(warden, 1)
