"""Tests that host names, paths and addresses are replaced in recordings of `p4warden prove`."""

import re

import pytest

from p4warden.prove.experiments import values
from p4warden.prove.records import Call, Recording, ServerMessage, Step
from p4warden.prove.redaction import cleaned_recordings, redaction
from prove.recorded_reports import CASES, recordings
from support.examples import every

REDACTION = redaction(
    [
        ("/srv/p4warden-prove-x1", b"<folder>"),
        ("/home/jo", b"<home>"),
        ("/", b"<never>"),
        ("127.0.0.1:20001", b"<server>"),
    ],
    [
        ("build-7", b"<host>"),
        ("build-7.corp.example", b"<host>"),
        ("jo", b"<account>"),
        ("20001", b"<port>"),
    ],
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/srv/p4warden-prove-x1/root/log", "<folder>/root/log"),
        ("/home/jo/p4d, by jo@build-7.corp.example", "<home>/p4d, by <account>@<host>"),
        ("build-7:20001", "<host>:<port>"),
        ("127.0.0.1:20001", "<server>"),
        ("from 10.1.2.3 by fe80::1%eth0 and ::1", "from <address> by <address> and <address>"),
        ("2001:db8:0:0:0:0:2:1", "<address>"),
        ("join major jo-ann build-70", "join major jo-ann build-70"),
        ("P4D/LINUX26X86_64/2024.2/2697822 (2024/12/18) 12:30:45", None),
        ("user:prove-ann", None),
        ("//depot/main/... //ws/...", None),
        ("Foo::bar 1.2.3", None),
        ("//home/jo/main /srv/home/jo", "//home/<account>/main /srv/home/<account>"),
        ('--cwd=/home/jo "/home/jo/x"', '--cwd=<home> "<home>/x"'),
        ("/home/jonathan", None),
        ("%25quote%25/home/jo/x,%2Fhome%2Fjo%2Fy", "%25quote%25<home>/x,<home>%2Fy"),
        ("%2Fdepot%2Fjo%3Djo", "%2Fdepot%2F<account>%3D<account>"),
    ],
)
def test_names_paths_and_addresses_are_replaced(text: str, expected: str | None) -> None:
    assert REDACTION.text(text.encode()).decode() == (text if expected is None else expected)


@pytest.mark.parametrize("account", ["p", "a1", "root", "perforce", "folder", "home", "p4d"])
def test_no_account_name_changes_another_word_or_a_replacement(account: str) -> None:
    own = redaction(
        [("/srv/p4warden-prove-x1", b"<folder>"), (f"/{account}", b"<home>"), ("/x/p4", b"<p4d>")],
        [(account, b"<account>")],
    )
    text = (
        f"serverRoot: /srv/p4warden-prove-x1/root/a1.p, //depot/prove/p-1 {account}2 x{account} "
        f"x-{account} {account}_x //d/{account}x P4ROOT Perforce h-{account} %25a%25{account}s"
    )
    expected = text.replace("/srv/p4warden-prove-x1", "<folder>")
    assert own.text(text.encode()).decode() == expected
    assert own.text(f"/{account}/x /x/p4".encode()) == b"<home>/x <p4d>"


def test_every_part_of_a_recording_is_redacted() -> None:
    call = Call("a", (b"--cwd=/home/jo",), b"clientip:10.0.0.1\n", b"Host:\tbuild-7\n", "0600")
    step = Step("s", (call,), (ServerMessage(3, 1, b"jo@build-7"),), (b"serverRoot: /home/jo",))
    recording = REDACTION.recording(Recording({"s": step}, "jo ended it"))
    redacted_step = recording.steps["s"]
    assert redacted_step.calls == (
        Call("a", (b"--cwd=<home>",), b"clientip:<address>\n", b"Host:\t<host>\n", "0600"),
    )
    assert redacted_step.messages == (ServerMessage(3, 1, b"<account>@<host>"),)
    assert redacted_step.rows == (b"serverRoot: <home>",)
    assert recording.trouble == "<account> ended it"


@pytest.mark.sampled
def test_redacting_a_name_equal_to_a_word_in_a_recording_changes_no_value() -> None:
    text = (CASES / "recordings.yaml").read_text("utf-8")
    words = sorted({*re.findall(r"[\w-]{2,}", text), "prove-ann"})
    originals = recordings()
    expected = {name: values(name, one.steps) for name, one in originals.items()}
    for word in words[:: every(30)]:
        redacted_recordings = cleaned_recordings(originals, redaction([], [(word, b"<account>")]))
        for name, recording in redacted_recordings.items():
            assert values(name, recording.steps) == expected[name], word


def test_a_name_that_a_value_depends_on_is_kept_and_other_names_are_replaced() -> None:
    originals = recordings(
        "login.info", {"info": {"rows": ["serverVersion: P4D/X, jo on build-7"]}}
    )
    own_redaction = redaction([], [("serverVersion", b"<account>"), ("build-7", b"<host>")])
    assert cleaned_recordings(originals, own_redaction)["login"].steps["info"].rows == (
        b"serverVersion: P4D/X, jo on <host>",
    )


def test_names_are_replaced_even_if_the_addresses_alone_change_a_value() -> None:
    rows = {"written": {"rows": ["t - 10.0.0.1"]}, "stored": {"rows": ["Triggers0: t - 10.0.0.2"]}}
    originals = recordings("table.bytes", {**rows, "before": {"rows": ["jo on build-7"]}})
    assert values("table", originals["table"].steps)["table.bytes"] != "same"
    redacted_recordings = cleaned_recordings(
        originals, redaction([], [("jo", b"<account>"), ("build-7", b"<host>")])
    )
    assert redacted_recordings["table"].steps["before"].rows == (b"<account> on <host>",)
