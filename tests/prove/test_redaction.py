"""What tells where a recording was made is replaced."""

import pytest

from p4warden.prove.records import Call, Recording, Said, Step
from p4warden.prove.redaction import redaction

OURS = redaction(
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
    ("text", "shown"),
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
    ],
)
def test_names_paths_and_addresses_are_replaced(text: str, shown: str | None) -> None:
    assert OURS.text(text.encode()).decode() == (text if shown is None else shown)


def test_every_part_of_a_recording_is_cleaned() -> None:
    call = Call("a", (b"--cwd=/home/jo",), b"clientip:10.0.0.1\n", b"Host:\tbuild-7\n", "0600")
    step = Step("s", (call,), (Said(3, 1, b"jo@build-7"),), (b"serverRoot: /home/jo",))
    shown = OURS.recording(Recording({"s": step}, "jo ended it"))
    cleaned = shown.steps["s"]
    assert cleaned.calls == (
        Call("a", (b"--cwd=<home>",), b"clientip:<address>\n", b"Host:\t<host>\n", "0600"),
    )
    assert cleaned.said == (Said(3, 1, b"<account>@<host>"),)
    assert cleaned.rows == (b"serverRoot: <home>",)
    assert shown.trouble == "<account> ended it"
