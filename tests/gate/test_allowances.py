"""Tests that the gate applies allowances that Python writes, to exactly what was refused."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import GateReply, Home, policy, rate, rule
from p4warden.home import allowances, trial_client
from p4warden.home.allowances import Allowance
from p4warden.home.summed_file import summed, text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WIDE = {"name": "wide", "rule": "limit_view_scope", "mode": "enforce", "forms": ["client"]}
LINES = {"name": "lines", "rule": "limit_view_scope", "mode": "enforce", "forms": ["client"]}
FORM = "Client:\tws\n\nView:\n\t//depot/... //ws/...\n"
ADDRESS = "10.0.0.1"


@pytest.fixture
def home(gate_home: Home) -> Home:
    gate_home.activate(policy(rule(rate("user")), WIDE))
    return gate_home


def fstat(home: Home, user: str = "ann", ip: str = ADDRESS, *words: str) -> GateReply:
    return home.fstat(f"--ip={ip}", *words, user=user)


def refuse_fstat(home: Home) -> dict[str, Any]:
    """Return the record of a refused fstat of ann."""
    assert [fstat(home).code, fstat(home).code] == [0, 1]
    return home.log()[-1]


def save(home: Home, name: str = "ws", user: str = "ann", kind: str = "client") -> GateReply:
    file = home.folder / "form"
    file.write_text(FORM)
    words = (f"--form={file}", f"--type={kind}", f"--name={name}", f"--user={user}")
    return home.run("form-save", *words, f"--ip={ADDRESS}")


def id_in(reply: GateReply) -> str:
    last = reply.text.splitlines()[-1]
    return next(word for word in last.split() if word.startswith("id=")).removeprefix("id=")


def allow(home: Home, record: dict[str, Any], for_s: int = 60, **fields: Any) -> None:
    subject = {name: record[name] for name in allowances.SUBJECT_FIELDS if name in record}
    until_s = int(time.time()) + for_s
    one = Allowance(
        record["id"], until_s, record["user"], record["ip"], subject, record["rule"], "demo", "eve"
    )
    allowances.replace(str(home.folder), [one._replace(**fields)])


def test_a_refused_command_has_the_same_id_in_its_text_in_the_log_and_when_repeated(
    home: Home,
) -> None:
    record = refuse_fstat(home)
    assert id_in(fstat(home)) == id_in(fstat(home)) == record["id"]
    assert fstat(home, "bob").code == 0
    assert id_in(fstat(home, "bob")) != record["id"]
    assert id_in(fstat(home, ip="10.0.0.2")) != record["id"]


def test_a_refused_form_has_the_same_id_in_its_text_and_in_the_log(home: Home) -> None:
    refusal_id = id_in(save(home))
    assert home.log()[-1]["id"] == refusal_id
    assert id_in(save(home, "other")) != refusal_id
    assert refusal_id == id_in(save(home))


def test_a_refusal_has_its_id_when_the_log_cannot_be_written(home: Home) -> None:
    refusal_id = id_in(save(home))
    (home.folder / "decisions.jsonl").unlink()
    (home.folder / "decisions.jsonl").mkdir()
    assert id_in(save(home)) == refusal_id


def test_an_observed_or_allowed_event_has_no_id(home: Home) -> None:
    home.activate(policy({**WIDE, "mode": "observe"}))
    assert save(home).code == 0
    assert "id" not in home.log()[-1]


def test_an_allowance_lifts_the_refusals_of_a_rate_and_counts_the_commands_as_allowed(
    home: Home,
) -> None:
    allow(home, refuse_fstat(home))
    allowed = home.counts()["allowed"]
    assert [fstat(home).code for _ in range(3)] == [0, 0, 0]
    assert home.counts()["allowed"] == allowed + 3
    assert home.counts()["refused"] == 1


def test_a_rule_delays_no_allowed_command(home: Home) -> None:
    limit = rate("user", allow="1 per 1s")
    home.activate(policy(rule(limit, action="delay", max_delay="60s")))
    assert fstat(home).code == 0
    record = {"id": "7k2m9xq4", "user": "ann", "ip": ADDRESS, "rule": "polling"}
    allow(home, {**record, "command": "fstat"})
    assert [fstat(home).code for _ in range(3)] == [0, 0, 0]
    assert home.counts()["delayed"] == 0


def test_an_allowance_is_for_its_user_address_and_command_alone(home: Home) -> None:
    home.activate(policy(rule(rate("user"), commands=["fstat", "files"]), WIDE))
    allow(home, refuse_fstat(home))
    assert fstat(home, ip="10.0.0.2").code == 1
    assert home.run("command", "--user=ann", f"--ip={ADDRESS}", "--command=user-files").code == 1
    assert [fstat(home, "bob").code, fstat(home, "bob").code] == [0, 1]
    assert save(home).code == 1
    assert fstat(home).code == 0


def test_an_allowance_without_address_is_for_all_addresses(home: Home) -> None:
    allow(home, refuse_fstat(home), ip=None)
    assert fstat(home, ip="10.0.0.2").code == 0


def test_an_allowance_for_a_form_is_for_its_spec_and_logged_as_an_exemption(home: Home) -> None:
    save(home)
    record = home.log()[-1]
    allow(home, record)
    assert save(home).code == 0
    assert home.log()[-1]["verdict"] == "allow"
    assert home.log()[-1]["exemption"] == f"allowance {record['id']}: demo (owner: eve)"
    assert save(home, "other").code == 1
    assert save(home, user="bob").code == 1


def test_an_allowance_is_for_a_name_in_the_case_that_the_server_compares(home: Home) -> None:
    allow(home, refuse_fstat(home))
    assert fstat(home, "ANN").code == 0
    assert fstat(home, "ANN").code == 1
    home.know({"case_sensitive": False})
    assert fstat(home, "ANN").code == 0


def test_an_allowance_for_a_synonym_is_not_for_its_main_command(home: Home) -> None:
    home.activate(
        policy({"name": "no", "rule": "refuse_commands", "mode": "enforce", "commands": ["sync"]})
    )
    flush, sync = (
        ("command", "--user=ann", f"--ip={ADDRESS}", f"--command=user-{name}", "--args=a.c")
        for name in ("flush", "sync")
    )
    assert [home.run(*flush).code, home.run(*sync).code] == [1, 1]
    assert id_in(home.run(*flush)) != id_in(home.run(*sync))
    allow(home, home.log()[0])
    assert [home.run(*flush).code, home.run(*sync).code] == [0, 1]


def test_an_allowance_is_not_for_names_that_look_alike_in_the_log(home: Home) -> None:
    file = home.folder / "form"
    file.write_text(FORM)
    options = (f"--form={file}", "--type=client", f"--ip={ADDRESS}")

    def code(user: bytes, name: bytes) -> int:
        line = home.line("form-save", *options, "--user=USER", "--name=NAME")
        names = {"--user=USER": b"--user=" + user, "--name=NAME": b"--name=" + name}
        return subprocess.call([names.get(word, word.encode()) for word in line])

    assert code(b"M\xfcller", b"ws") == 1
    allow(home, home.log()[-1], ip=None)
    assert code(b"M\xfcller", b"ws") == 0
    assert code(rb"M\xfcller", b"ws") == 1
    assert code(b"ann", b"w\xff") == 1
    allow(home, home.log()[-1], ip=None)
    assert code(b"ann", b"w\xff") == 0
    assert code(b"ann", rb"w\xff") == 1
    assert code(b"eve", b"w" * 161) == 1  # the log has 160 characters of it
    assert home.log()[-1]["user"] == "eve"
    assert home.log()[-1].get("id") is None


def test_an_allowance_is_for_one_rule(home: Home) -> None:
    home.activate(policy(WIDE, LINES))
    save(home)
    allow(home, home.log()[-1])
    reply = save(home)
    assert reply.code == 1
    assert "rule=lines " in reply.text


def test_an_allowance_ends(home: Home) -> None:
    allow(home, refuse_fstat(home), for_s=-1)
    assert fstat(home).code == 1


def test_no_allowance_applies_to_the_trial_client_and_to_a_tampered_line(home: Home) -> None:
    allow(home, refuse_fstat(home))
    client = f"{trial_client.PREFIX}0123456789abcdef"
    trial_client.announce(str(home.folder), client, int(time.time()))
    fstat(home, "ann", ADDRESS, f"--client={client}")
    assert fstat(home, "ann", ADDRESS, f"--client={client}").code == 1
    line = home.line("command", "--user=ann", f"--ip={ADDRESS}", "--command=user-fstat")
    reply = home.run_words(*line[1:], "a word more")
    assert reply.code == 1
    assert "id=" not in reply.text


def change(file: Path, old: str, new: str) -> None:
    file.write_bytes(summed(text(file.read_bytes()).replace(old, new)))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "writable by others": lambda file: file.chmod(0o666),
    "cut": lambda file: file.write_text(file.read_text()[:-20]),
    "edited": lambda file: file.write_text(file.read_text().replace('"format"', '"formaT"')),
    "of another format": lambda file: change(file, '"format": 1', '"format": 2'),
    "for all rules": lambda file: change(file, '"rules"', '"users"'),
    "until a day": lambda file: change(file, '"rules"', '"until": "2020-01-01", "rules"'),
    "for one user": lambda file: change(file, '"rules"', '"for": {"users": ["bob"]}, "rules"'),
    "too large": lambda file: file.write_text(file.read_text() + " " * allowances.MAX_BYTES),
    "a link": lambda file: file.symlink_to(file.rename(file.with_name("real"))),
    "missing": lambda file: file.unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_cannot_be_used_allows_nothing(home: Home, damage: str) -> None:
    allow(home, refuse_fstat(home))
    assert fstat(home).code == 0
    DAMAGES[damage](home.folder / allowances.FILE_NAME)
    assert fstat(home).code == 1
