"""Tests of the deployment history in a home folder: log lines, kept files, rollback targets."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.core.errors import P4WardenError
from p4warden.history import kept_files, states, trail
from p4warden.history.change import Change, Person, from_line, to_line
from p4warden.history.person import present_person
from p4warden.history.record import Table, keep_policy, record
from p4warden.home import trusted_files
from p4warden.policy.compiled import FILE_NAME, compile_policy, dumps
from support.home_files import policy_file

if TYPE_CHECKING:
    from pathlib import Path

    from p4warden.policy.compiled import Policy

ANN = Person("perforce", login="ann", sudo_user="ann", p4user="p4admin", host="p4d1")


@pytest.fixture
def home(tmp_path: Path) -> str:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return str(folder)


def change(number: int, action: str, policy: str, lines: str | None = None, **more: Any) -> Change:
    return Change(number, float(number), action, ANN, "0.1.0", policy, lines=lines, **more)


def policy(number: int) -> Policy:
    return compile_policy({"contact": "x", "rules": []}, f"{number:02x}" * 32)


def test_a_change_written_as_a_log_line_is_parsed_back_unchanged() -> None:
    first = change(7, "rollback", "a" * 64, "b", to=3, message='"late"\n', outcome="failed: no")
    assert from_line(to_line(first)) == first
    assert to_line(first).count(b"\n") == 1


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"\xff",
        b'{"number": "1", "time": 2, "action": "x"}',
        b'{"number": null, "time": 2, "action": "x", "version": "1", "account": "a"}',
        b'{"number": 1, "time": 2, "action": "x", "version": "1", "account": null}',
        b'{"number": 1, "time": 2, "action": 3, "version": "1", "account": "a"}',
        b'{"number": 1, "time": 2, "action": "x", "version": "1", "account": "a", "table": 7}',
        b'{"number": 1, "time": 2, "action": "x", "version": "1", "account": "a", "to": []}',
        b'{"number": 1, "time": 2, "action": "x", "version": "1", "account": "a", "until_s": "3"}',
        b'{"number": 1, "time": Infinity, "action": "x", "version": "1", "account": "a"}',
        b'{"number": 1, "time": NaN, "action": "x", "version": "1", "account": "a"}',
        b'{"number": 1, "time": 1e30, "action": "x", "version": "1", "account": "a"}',
        b'{"number": 1, "time": -1, "action": "x", "version": "1", "account": "a"}',
        b'{"number": 1, "time": true, "action": "x", "version": "1", "account": "a"}',
        b'{"number": true, "time": 2, "action": "x", "version": "1", "account": "a"}',
        b'{"number": 1, "time": 2, "action": "x", "version": "1", "account": "a", "to": true}',
    ],
)
def test_a_log_line_that_is_not_a_change_is_ignored(line: bytes) -> None:
    assert from_line(line) is None


def test_a_log_line_with_the_required_values_only_is_a_change() -> None:
    line = b'{"number": 1, "time": 2.5, "action": "x", "version": "1", "account": "a"}'
    assert from_line(line) == Change(1, 2.5, "x", Person("a"), "1")


def test_a_log_line_that_was_cut_off_does_not_affect_other_log_lines(home: str) -> None:
    assert record(home, "off").number == 1
    with open(f"{home}/{trail.FILE_NAME}", "ab") as file:  # noqa: PTH123 - as the append does
        file.write(b'{"number": 2, "ti')
    assert record(home, "on").number == 2
    assert [(one.number, one.action) for one in trail.changes(home)] == [(1, "off"), (2, "on")]


def test_only_the_owner_can_read_the_history(home: str) -> None:
    keep_policy(home, policy(1), b"rules: []\n")
    record(home, "activate")
    for path in (f"{home}/{trail.FILE_NAME}", *_kept_paths(home)):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600  # noqa: PTH116 - homes are texts
    assert stat.S_IMODE(os.stat(f"{home}/history").st_mode) == 0o700  # noqa: PTH116 - as above


def _kept_paths(home: str) -> list[str]:
    folder = kept_files.folder(home)
    return [f"{folder}/{name}" for name in os.listdir(folder)]  # noqa: PTH208 - homes are texts


def test_a_symbolic_link_in_place_of_the_history_is_not_followed(
    home: str, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").touch()
    os.symlink(tmp_path / "elsewhere", f"{home}/{trail.FILE_NAME}")  # noqa: PTH211 - as above
    with pytest.raises(trusted_files.HomeError):
        record(home, "off")
    assert (tmp_path / "elsewhere").read_bytes() == b""


def test_each_log_line_is_copied_to_syslog(home: str, tmp_path: Path) -> None:
    path = str(tmp_path / "log")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as syslog:
        syslog.bind(path)
        syslog.settimeout(5)
        trail.append(home, change(0, "off", "a" * 64), {trail.SYSLOG_VARIABLE: path})
        datagram = syslog.recv(65536)
    # Priority of a syslog message: facility authpriv is 10, severity info is 6 (RFC 5424, 6.2.1).
    head, _, line = datagram.rstrip(b"\0").partition(b"p4warden: ")
    assert head == b"<86>"
    with open(f"{home}/{trail.FILE_NAME}", "rb") as file:  # noqa: PTH123 - homes are texts
        assert line + b"\n" == file.read()


def test_a_change_is_recorded_without_delay_if_syslog_is_full(
    home: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "log")
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as syslog,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other,
    ):
        syslog.bind(path)
        other.settimeout(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                other.sendto(b"x", path)
        trail.append(home, change(0, "off", "a" * 64), {trail.SYSLOG_VARIABLE: path})
    assert len(trail.changes(home)) == 1
    assert capfd.readouterr().err == ""


def test_a_change_is_recorded_on_a_host_without_syslog(home: str) -> None:
    trail.append(home, change(0, "off", "a" * 64), {trail.SYSLOG_VARIABLE: "/nowhere/log"})
    assert len(trail.changes(home)) == 1


def test_the_person_of_a_change_is_described_with_the_source_of_each_name() -> None:
    person = present_person(
        {"SUDO_USER": "ann", "P4USER": "p4a", "SSH_CONNECTION": "10.1.2.3 5 6 7"}
    )
    assert (person.sudo_user, person.p4user, person.ssh_from) == ("ann", "p4a", "10.1.2.3")
    assert present_person({"P4USER": "p4a"}, "p4b").p4user == "p4b"
    assert ANN.names() == "perforce (login ann, sudo ann, P4USER p4admin)"
    assert Person("perforce").names() == "perforce"


def test_files_of_old_states_are_removed_except_those_of_the_active_policy(home: str) -> None:
    number = kept_files.MAX_CHANGES + 10
    for at in range(number):
        one = policy(at)
        keep_policy(home, one, b"# %d\n" % at)
        digest = kept_files.keep_table(home, f"Triggers:\n\t{at}\n")
        trusted_files.replace(home, FILE_NAME, policy_file(dumps(one)))
        record(home, "deploy", table=Table(digest, digest, 1))
    assert len(_kept_paths(home)) == 3 * kept_files.MAX_CHANGES
    assert len(trail.changes(home)) == number
    # Activate the policy of an earlier change, as a rollback does, then record many more changes.
    trusted_files.replace(home, FILE_NAME, policy_file(dumps(policy(number - 5))))
    for _ in range(kept_files.MAX_CHANGES + 5):
        record(home, "activate")
    assert kept_files.compiled(home, policy(number - 5).digest) is not None
    with pytest.raises(P4WardenError, match="is no longer stored"):
        kept_files.table(home, trail.changes(home)[0].table or "")


def test_a_damaged_file_of_a_triggers_table_is_reported(home: str) -> None:
    digest = kept_files.keep_table(home, "Triggers:\n")
    trusted_files.replace(kept_files.folder(home), kept_files.table_name(digest), b"other")
    with pytest.raises(P4WardenError, match="is damaged"):
        kept_files.table(home, digest)


A, B, C = "a" * 64, "b" * 64, "c" * 64


@pytest.mark.parametrize(
    ("changes", "number"),
    [
        # The state is policy and triggers table; the expected number is the change to roll back
        # to. Change 1 only activated the policy that change 2 deployed, so both count as one
        # state.
        ([("activate", A, None), ("deploy", A, "1"), ("deploy", B, "2")], 2),
        ([("deploy", A, "1"), ("activate", B, "1"), ("deploy", B, "2")], 1),
        # A rollback may also restore the policy and table before a change that only activated a
        # policy, or only wrote the triggers table.
        ([("deploy", A, "1"), ("activate", B, "1")], 1),
        ([("deploy", A, "1"), ("deploy", A, "2")], 1),
        # Change 3 deployed the same policy and table as change 2, so a rollback undoes both.
        ([("deploy", A, "1"), ("deploy", B, "2"), ("deploy", B, "2")], 1),
        # `off`, `on` and `refresh` change neither policy nor triggers table, so a rollback ignores
        # them.
        ([("deploy", A, "1"), ("deploy", B, "2"), ("off", B, "2"), ("refresh", B, "2")], 1),
        ([("found", A, None), ("activate", B, None)], 1),
        ([("deploy", A, "1"), ("uninstall", A, "")], 1),
    ],
)
def test_a_rollback_targets_the_last_change_with_another_state(
    changes: list[tuple[str, str, str | None]], number: int
) -> None:
    present = [change(at, *one) for at, one in enumerate(changes, 1)]
    assert states.before(present).number == number


def test_a_second_rollback_targets_an_earlier_state_than_the_first() -> None:
    present = [
        change(1, "deploy", A, "1"),
        change(2, "deploy", B, "2"),
        change(3, "deploy", C, "3"),
    ]
    present.append(change(4, "rollback", B, "2", to=2))
    assert states.before(present).number == 1
    present.append(change(5, "rollback", A, "1", to=1))
    with pytest.raises(P4WardenError, match="no earlier state"):
        states.before(present)
    present.append(change(6, "deploy", C, "3"))
    assert states.before(present).number == 5
    present.append(change(7, "rollback", A, "1", to=5))
    with pytest.raises(P4WardenError, match="no earlier state"):
        states.before(present)


def test_a_failed_or_unknown_change_is_no_target_of_a_rollback() -> None:
    present = [change(1, "deploy", A, "1"), change(2, "deploy", B, "2")]
    present.append(change(3, "deploy", B, "2", outcome="failed: no"))
    assert states.before(present).number == 1
    with pytest.raises(P4WardenError, match=r"change 3 \(deploy\) failed, so its state cannot be"):
        states.numbered_change(present, 3)
    present.append(change(4, "off", B, "2"))
    with pytest.raises(P4WardenError, match=r"change 4 \(off\) changed neither policy nor table"):
        states.numbered_change(present, 4)
    with pytest.raises(P4WardenError, match="change 9 is not known"):
        states.numbered_change(present, 9)


def test_a_rollback_without_a_history_is_an_error() -> None:
    assert states.present_change([]) is None
    with pytest.raises(P4WardenError, match="deploy uninstall"):
        states.before([])


def test_a_log_line_is_a_json_object_with_the_required_fields(home: str) -> None:
    record(home, "off", message="a storm")
    with open(f"{home}/{trail.FILE_NAME}") as file:  # noqa: PTH123 - homes are texts
        document = json.loads(file.read())
    assert document["message"] == "a storm"
    assert {"number", "time", "action", "account", "host", "version", "outcome"} <= set(document)
    assert "person" not in document
