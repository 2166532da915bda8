"""Tests of the gate with files of its home folder missing, damaged, untrusted or not writable."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from gate.program import GO_ON, GateReply, Home, policy, rate, rule
from p4warden.core.facts import to_text
from p4warden.core.records import Depot, Facts
from p4warden.home import decision_log
from p4warden.home.summed_file import summed, text
from support.kernel_answers import failing, reads_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def lengthen(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"x")


def noise(file: Path) -> None:
    file.write_bytes(bytes(range(256)) * 64)


def remove(file: Path) -> None:
    file.unlink()


def link(file: Path) -> None:
    file.rename(file.with_suffix(".real"))
    file.symlink_to(file.with_suffix(".real"))


def folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def let_others_write(file: Path) -> None:
    file.chmod(0o666)


def let_the_group_write(file: Path) -> None:
    file.chmod(0o664)


def give_away(file: Path) -> None:
    os.chown(file, 12345, -1)


class FileDamage(NamedTuple):
    """A way to damage a file of the home folder, and the fault that the gate then logs."""

    spoil: Callable[[Path], None]
    fault: str


def to_a_later_format(file: Path) -> None:
    file.write_bytes(summed('{"format": 2, "commands": []}'))


def add_a_setting(file: Path) -> None:
    document = json.loads(text(file.read_bytes()))
    document["rules"][0]["max_clients"] = 9
    file.write_bytes(summed(json.dumps(document)))


def change_the_kind(file: Path) -> None:
    other = text(file.read_bytes()).replace("limit_command_rate", "limit_command_cost")
    file.write_bytes(summed(other))


def edit(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b'"burst": 1', b'"burst": 9'))


# Of paths of any length the log keeps only the start of a fault.
DAMAGED = "it cannot be read: "
TRUST = {
    "a link": FileDamage(link, "is a symbolic link"),
    "a folder": FileDamage(folder, "is not a regular file"),
    "a pipe": FileDamage(pipe, "is not a regular file"),
    "writable by others": FileDamage(let_others_write, "others have write access to it"),
    "writable by its group": FileDamage(let_the_group_write, "others have write access to it"),
    "another's": FileDamage(give_away, "is owned by account 12345"),
}
WAYS = TRUST | {
    "missing": FileDamage(remove, "No such file"),
    "empty": FileDamage(empty, DAMAGED),
    "cut short": FileDamage(cut, DAMAGED),
    "too long": FileDamage(lengthen, DAMAGED),
    "of a later format": FileDamage(to_a_later_format, f"{DAMAGED}it has format 2"),
    "an unknown setting": FileDamage(add_a_setting, f"{DAMAGED}rule polling: unknown field"),
    "an unknown kind": FileDamage(change_the_kind, f"{DAMAGED}rule polling: "),
    "noise": FileDamage(noise, DAMAGED),
    "edited": FileDamage(edit, f"{DAMAGED}it is not as p4warden"),
}
FACTS_WAYS = TRUST | {
    "empty": FileDamage(empty, DAMAGED),
    "too long": FileDamage(lengthen, DAMAGED),
    "noise": FileDamage(noise, DAMAGED),
}
DEPOTS = {"rel": Depot("local", ("main", "old"), 2), "depot": Depot("stream", None, 5000)}


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("way", WAYS)
def test_an_unusable_policy_is_a_logged_fault_and_follows_on_error(
    gate_home: Home, way: str, on_error: str
) -> None:
    needs_root(way)
    gate_home.activate(policy(rule(rate("user")), on_error=on_error))
    WAYS[way].spoil(gate_home.folder / "policy.json")
    answers = [gate_home.fstat(on_error=on_error) for _ in range(3)]
    declared(answers, on_error)
    [record] = gate_home.log()
    assert WAYS[way].fault in record["fault"]
    assert record["verdict"] == ("refuse" if on_error == "deny" else "allow")
    assert (record["user"], record["command"]) == ("ann", "user-fstat")
    assert gate_home.counts()["faults"] == 3


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("way", FACTS_WAYS)
def test_unusable_facts_are_a_logged_fault_and_follow_on_error(
    gate_home: Home, way: str, on_error: str
) -> None:
    needs_root(way)
    gate_home.activate(policy(rule(rate("user")), on_error=on_error))
    (gate_home.folder / "facts.json").write_bytes(summed(to_text(Facts(depots=DEPOTS))))
    FACTS_WAYS[way].spoil(gate_home.folder / "facts.json")
    declared([gate_home.fstat(on_error=on_error) for _ in range(3)], on_error)
    [record] = gate_home.log()
    assert FACTS_WAYS[way].fault in record["fault"]
    assert gate_home.counts()["faults"] == 3
    other = gate_home.run("command", "--user=ann", "--command=user-files", "--on-error=deny")
    assert other == GO_ON


def test_missing_facts_are_those_of_an_unknown_server_and_logged(gate_home: Home) -> None:
    gate_home.activate(policy(SCOPE, on_error="deny"))
    (gate_home.folder / "facts.json").unlink()
    assert gate_home.fstat("--args=//depot/main/...") == GO_ON
    [record] = gate_home.log()
    assert record["trouble"] == "no facts about the server yet; run p4warden refresh"


@pytest.mark.parametrize("case_sensitive", [True, False])
def test_directories_are_proposed_from_the_line_of_the_depot(
    gate_home: Home, *, case_sensitive: bool
) -> None:
    gate_home.activate(policy(SCOPE))
    names = [f"depot{number}" for number in range(300)] + ["b\u00e4r", 'a "b"', "depot"]
    depots = {name: Depot("local", (f"main of {name}", "x" * 3000), 2) for name in names}
    depots |= {"spec": Depot("spec", ("hidden",), 1), "deep": Depot("remote", None, 9000)}
    facts = Facts(case_sensitive=case_sensitive, depots=depots)
    (gate_home.folder / "facts.json").write_bytes(summed(to_text(facts)))
    for name in ("depot", "depot0", "depot299", "depot150"):
        asked = name if case_sensitive else name.upper()
        assert f"main of {name}/..." in gate_home.fstat(f"--args=//{asked}/...").text
    assert "DIRECTORY" in gate_home.fstat("--args=//deep/...").text
    assert "hidden" not in gate_home.fstat("--args=//spec/...").text


STATE_FAULTS = {
    way: WAYS[way]
    for way in (
        "a link",
        "writable by others",
        "another's",
        "a pipe",
    )
} | {"a folder": FileDamage(folder, "Is a directory")}


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("way", STATE_FAULTS)
def test_an_untrusted_state_file_is_a_logged_fault_and_follows_on_error_of_the_policy(
    gate_home: Home, way: str, on_error: str
) -> None:
    needs_root(way)
    gate_home.activate(policy(rule(rate("user", burst=9)), on_error=on_error))
    gate_home.fstat()
    STATE_FAULTS[way].spoil(gate_home.folder / "state")
    # The trigger line's `--on-error` is the opposite of the policy's `on_error`; the policy takes
    # precedence as long as it can be read.
    opposite = "allow" if on_error == "deny" else "deny"
    declared([gate_home.fstat(on_error=opposite) for _ in range(3)], on_error)
    [record] = gate_home.log()
    assert STATE_FAULTS[way].fault in record["fault"]


SCOPE: dict[str, Any] = {
    "name": "no-wide-fstat",
    "rule": "limit_command_scope",
    "mode": "enforce",
    "commands": ["fstat"],
    "min_depth": 1,
}
NO_P4V: dict[str, Any] = {
    "name": "no-p4v",
    "rule": "block_client_program",
    "mode": "enforce",
    "commands": ["fstat"],
    "programs": [{"program": "P4V"}],
}


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("way", STATE_FAULTS)
def test_rules_without_rates_apply_despite_an_untrusted_state_file(
    gate_home: Home, way: str, on_error: str
) -> None:
    needs_root(way)
    gate_home.activate(policy(SCOPE, NO_P4V, on_error=on_error))
    gate_home.fstat("--args=//depot/main/...")
    STATE_FAULTS[way].spoil(gate_home.folder / "state")
    assert [gate_home.fstat("--args=//depot/main/...") for _ in range(3)] == [GO_ON] * 3
    wide = [gate_home.fstat("--args=//depot/...") for _ in range(3)]
    assert all("rule=no-wide-fstat" in answer.text for answer in wide)
    program = gate_home.fstat("--prog=P4V", "--args=//depot/main/...")
    assert "rule=no-p4v" in program.text
    fault, *refusals = gate_home.log()
    assert (fault["verdict"], STATE_FAULTS[way].fault in fault["fault"]) == ("allow", True)
    assert [record["rule"] for record in refusals] == ["no-wide-fstat", "no-p4v"]


def test_a_depot_allowed_since_the_last_refresh_is_judged_as_a_depot(gate_home: Home) -> None:
    gate_home.know({"depots": {"depot": {"type": "local", "directories": []}}})
    gate_home.activate(policy(SCOPE, on_error="deny"))
    assert gate_home.fstat("--args=//fresh/...") == GO_ON
    pending = gate_home.folder / "admitted.json"
    pending.write_bytes(summed('{"fresh": ["local", 1800000000]}'))
    pending.chmod(0o600)
    assert "asks for all of //fresh" in gate_home.fstat("--args=//fresh/...").text
    assert gate_home.fstat("--args=//other/...") == GO_ON
    pending.write_text('{"fresh"')
    assert "has failed" in gate_home.fstat("--args=//fresh/...").text
    fault = f"{pending}: it is not as p4warden wrote it"
    assert gate_home.log()[-1]["fault"] == fault[: len(gate_home.log()[-1]["fault"])]


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_an_unusable_state_file_affects_only_the_rate_rules_of_a_policy(
    gate_home: Home, on_error: str
) -> None:
    gate_home.activate(policy(SCOPE, rule(rate("user", burst=9)), on_error=on_error))
    (gate_home.folder / "state").mkdir()
    answer = gate_home.fstat("--args=//depot/...")
    assert "rule=no-wide-fstat" in answer.text
    declared([gate_home.fstat("--args=//depot/main/...")], on_error)


@pytest.mark.parametrize("spoil", [remove, empty, cut, lengthen, noise], ids=lambda s: s.__name__)
def test_a_damaged_or_missing_state_file_is_recreated(
    gate_home: Home, spoil: Callable[[Path], None]
) -> None:
    gate_home.activate(policy(rule(rate("user")), on_error="deny"))
    assert [gate_home.fstat().code for _ in range(2)] == [0, 1]
    spoil(gate_home.folder / "state")
    assert [gate_home.fstat().code for _ in range(2)] == [0, 1]
    expected_count = 0 if spoil in (remove, empty) else 1
    assert gate_home.counts()["recreated"] == expected_count
    faults = [record["fault"] for record in gate_home.log() if "fault" in record]
    assert faults == [f"{gate_home.folder}/state: {MADE_ANEW}"] * expected_count


MADE_ANEW = (
    "damaged, or of another release, so it is made anew: counters begin at zero, and users may "
    "use their rates again"
)


def test_a_state_that_cannot_be_read_once_keeps_its_rates(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user")), on_error="deny"))
    assert gate_home.fstat().code == 0
    words = ("--on-error=deny", "--user=ann", "--command=user-fstat")
    unread = failing(reads_of(256), errno.EIO)  # the header
    code, text = gate_home.run("command", *words, preexec_fn=unread)
    assert (code, "has failed" in text) == (1, True)
    assert gate_home.log()[-1]["fault"] == f"{gate_home.folder}/state: I/O error"
    assert "rule=polling" in gate_home.fstat().text
    counts = gate_home.counts()
    assert (counts["allowed"], counts["refused"], counts["recreated"]) == (1, 1, 0)


def test_a_fault_is_logged_again_after_the_clock_was_set_back(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user"))))
    (gate_home.folder / "state").mkdir()
    log = gate_home.folder / "decisions.jsonl"
    for ahead_s in (3600, -3600):
        gate_home.fstat()
        [record] = gate_home.log()
        record["time"] += ahead_s
        log.write_text(json.dumps(record) + "\n")
        assert gate_home.fstat().code == 0
        assert len(gate_home.log()) == 2
        gate_home.fstat()
        assert len(gate_home.log()) == 2
        log.unlink()


def test_an_exempt_user_passes_despite_an_unusable_state_file(gate_home: Home) -> None:
    exemption = {"reason": "administration", "owner": "scm", "for": {"users": ["p4admin"]}}
    gate_home.activate(policy(rule(rate("user")), exemptions=[exemption], on_error="deny"))
    (gate_home.folder / "state").mkdir()
    assert gate_home.fstat().code == 1
    assert gate_home.fstat(user="p4admin") == GO_ON
    assert gate_home.run("command", "--user=ann", "--command=user-files") == GO_ON


@pytest.mark.parametrize("spoil", [folder, link, let_others_write, give_away])
def test_an_unusable_decision_log_changes_no_verdict(
    gate_home: Home, spoil: Callable[[Path], None]
) -> None:
    needs_root("another's")
    gate_home.activate(policy(rule(rate("user")), on_error="deny"))
    log = gate_home.folder / "decisions.jsonl"
    log.touch(0o600)
    spoil(log)
    assert [gate_home.fstat().code for _ in range(3)] == [0, 1, 1]
    assert gate_home.counts()["refused"] == 2


def test_a_line_that_a_full_disk_cut_takes_no_other_with_it(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user"))))
    log = gate_home.folder / "decisions.jsonl"
    log.write_text('{"time": 1, "us')
    log.chmod(0o600)
    assert [gate_home.fstat().code for _ in range(2)] == [0, 1]
    with log.open("a") as file:
        file.write('{"time": 2, "us')
    decision_log.append(str(gate_home.folder), '{"time": 3}')
    first, refusal, second, last = log.read_text().splitlines()
    assert (first, second, last) == ('{"time": 1, "us', '{"time": 2, "us', '{"time": 3}')
    assert json.loads(refusal)["verdict"] == "refuse"


def test_a_state_file_over_the_file_size_limit_is_a_logged_fault(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user")), on_error="deny"))
    shell = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh"]
    words = gate_home.line("command", "--command=user-fstat")
    process = subprocess.run([*shell, *words], capture_output=True, text=True, check=False)
    assert process.returncode == 1
    assert "has failed" in process.stdout
    [record] = gate_home.log()
    assert "the file size limit of this process is " in record["fault"]
    assert [gate_home.fstat().code for _ in range(2)] == [0, 1]


@pytest.mark.parametrize(("on_error", "code"), [("allow", 0), ("deny", 1)])
def test_a_missing_home_folder_follows_on_error_and_is_not_created(
    gate_home: Home, on_error: str, code: int
) -> None:
    shutil.rmtree(gate_home.folder)
    answer = gate_home.fstat(on_error=on_error)
    assert answer.code == code
    assert ("has failed" in answer.text) == (code == 1)
    assert not gate_home.folder.exists()


@pytest.mark.parametrize(("on_error", "code"), [("allow", 0), ("deny", 1)])
def test_an_unsupported_event_is_a_fault_and_follows_on_error(
    gate_home: Home, on_error: str, code: int
) -> None:
    assert gate_home.run("form-sabe", f"--on-error={on_error}").code == code
    assert (
        gate_home.log()[0]["fault"]
        == "the trigger line is for an event that this release does not support"
    )


@pytest.mark.parametrize(("on_error", "code"), [("allow", 0), ("deny", 1)])
def test_a_trigger_line_without_command_is_a_fault_and_follows_on_error(
    gate_home: Home, on_error: str, code: int
) -> None:
    gate_home.activate(policy(rule(rate("user"))))
    assert gate_home.run("command", f"--on-error={on_error}", "--command=%command%").code == code
    assert gate_home.log()[0]["fault"] == "the trigger line has no --command"


def test_a_new_state_file_is_private_and_allocates_under_64_kib(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user"))))
    gate_home.fstat()
    status = (gate_home.folder / "state").stat()
    assert status.st_blocks * 512 < 64 * 1024
    assert status.st_mode & 0o777 == 0o600


def test_files_that_root_creates_belong_to_the_owner_of_the_home_folder(gate_home: Home) -> None:
    needs_root("another's")
    gate_home.activate(policy(rule(rate("user"))))
    os.chown(gate_home.folder, 12345, 12346)
    assert gate_home.fstat() == GO_ON
    (gate_home.folder / "policy.json").unlink()
    gate_home.fstat()
    for name in ("state", "decisions.jsonl"):
        status = (gate_home.folder / name).stat()
        assert (status.st_uid, status.st_gid) == (12345, 12346)


def declared(answers: list[GateReply], on_error: str) -> None:
    for answer in answers:
        if on_error == "allow":
            assert answer == GO_ON
        else:
            assert answer.code == 1
            assert "has failed" in answer.text


def needs_root(way: str) -> None:
    if way == "another's" and os.geteuid() != 0:
        pytest.skip("only root can give a file away")
