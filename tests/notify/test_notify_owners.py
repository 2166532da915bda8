"""Tests of `p4warden notify-owners`."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from p4warden import cli
from p4warden.workbench.notify import mail, template

if TYPE_CHECKING:
    from email.message import EmailMessage

WIDE = {
    "type": "client",
    "name": "ann-ws",
    "owner": "ann",
    "verdict": "refuse",
    "rule": "no-whole-depot",
    "detail": "View line 1 (//depot/... //ann-ws/...) maps all of //depot",
    "fix": "//depot/main/... //ann-ws/main/...",
}
ROWS = [
    WIDE,
    {**WIDE, "name": "ann-2", "verdict": "observe", "fix": None},
    {**WIDE, "owner": "ben", "name": "ben-ws"},
    {**WIDE, "owner": "eve\nBcc: all@example.com", "name": "x"},
    {**WIDE, "owner": "out", "name": "y"},
    {**WIDE, "owner": "nobody", "name": "z"},
    {**WIDE, "owner": "two", "name": "two-ws"},
    {**WIDE, "owner": "cat", "verdict": "allow"},
    # Verdict `unknown`: facts were missing, so the policy may allow this spec.
    {**WIDE, "owner": "dan", "verdict": "unknown", "detail": None, "fix": None},
]
ADDRESSES = """ann,Ann <ann@example.com>
ben," ben@Example.com "
two,"two@example.com, all@example.com"
eve,eve@example.com
"eve
Bcc: all@example.com","eve@example.com
Bcc: all@example.com"
out,out@elsewhere.org
"""
PROPOSAL = {
    "client": "ann-ws",
    "proposal": {"view": ["//depot/main/lib/... //ann-ws/main/lib/..."]},
}


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Fixture: options of `p4warden notify-owners` for all tests; writes the files they name."""
    census, addresses, proposals = tmp_path / "census", tmp_path / "users.csv", tmp_path / "r"
    census.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    addresses.write_text(ADDRESSES)
    proposals.write_text(json.dumps(PROPOSAL) + "\n")
    options = {
        "census": census,
        "rightsize": proposals,
        "addresses": addresses,
        "deadline": "2027-03-31",
        "domain": "example.com",
        "contact": "p4-admins@example.com",
    }
    return [f"--{name}={value}" for name, value in options.items()]


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run(["notify-owners", *arguments])
    return code, out.getvalue(), err.getvalue()


def mails(folder: Path) -> list[EmailMessage]:
    files = sorted(folder.glob("*.eml"))
    return [message_from_bytes(file.read_bytes(), policy=default) for file in files]


def test_letters_are_shown_with_the_owners_who_get_none(words: list[str]) -> None:
    code, out, err = run(*words)
    assert code == 0
    assert out.endswith("2 letters; --to-folder writes them to files\n")
    assert "To: ann@example.com\nSubject: Please change 2 Perforce specs by 2027-03-31\n" in out
    assert err.splitlines() == [
        r"no letter to eve\x0aBcc: all@example.com: the address is not known",
        "no letter to nobody: the address is not known",
        "no letter to out: out@elsewhere.org is not in a domain given with --domain",
        "no letter to two: two@example.com, all@example.com has 2 addresses; one is needed",
    ]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("ann@example.com", "ann@example.com"),
        (" ann@EXAMPLE.com\t", "ann@EXAMPLE.com"),
        ('"Doe, Ann" <ann@example.com>', "ann@example.com"),
        ("Ann Doe <ann@example.com>", "ann@example.com"),
        ("ann@example.com, ben@example.com", "has 2 addresses; one is needed"),
        ("ann@example.com\nBcc: all@example.com", "is not an address"),
        ("ann@example.org", "ann@example.org is not in a domain given with --domain"),
        ("Ann Doe", "Ann Doe is not an address"),
        ('"a b"@example.com', "is not an address"),
        ("", "the address is not known"),
        (None, "the address is not known"),
    ],
)
def test_an_address_is_one_in_a_domain_of_the_site(text: str | None, address: str) -> None:
    recipient = mail.recipient(text, ["example.com"])
    assert address in (recipient.problem or recipient.address)
    assert bool(recipient.problem) == (" " in address)


def test_each_owner_gets_one_mail_in_a_file(words: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    assert run(*words, f"--to-folder={folder}")[:2] == (0, f"{folder}: 2 letters\n")
    assert sorted(file.name for file in folder.iterdir()) == ["00001.eml", "00002.eml"]
    to_ann, to_ben = mails(folder)
    assert (to_ann["To"], to_ben["To"]) == ("ann@example.com", "ben@Example.com")
    assert to_ann["Auto-Submitted"] == "auto-generated"
    text = to_ann.get_content()
    assert "client ann-ws\n" in text
    assert "These lines keep all files that it has and that its view maps today." in text
    assert "\n  Replace all lines of its View (p4 client ann-ws) by:\n" in text
    assert "    //depot/main/lib/... //ann-ws/main/lib/...\n" in text
    other = to_ben.get_content()
    assert (
        "  Edit it with p4 client ben-ws, and map only the directories that you work on." in other
    )
    assert "elsewhere are removed from your disk at the next sync. For example:" in other


def test_a_mail_program_takes_each_file(words: list[str], tmp_path: Path) -> None:
    """The command of the page, with a program in place of sendmail."""
    program = tmp_path / "sendmail"
    program.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/words\ncat >>{tmp_path}/mails\n')
    program.chmod(0o700)
    assert run(*words, f"--to-folder={tmp_path}/letters")[0] == 0
    page = Path(__file__).parents[2] / "docs" / "watch.md"
    [line] = [line for line in page.read_text().splitlines() if "/usr/sbin/sendmail" in line]
    subprocess.run(
        ["sh", "-c", line.replace("/usr/sbin/sendmail", str(program))],
        cwd=tmp_path,
        check=True,
    )
    assert (tmp_path / "words").read_text() == "-i -t\n-i -t\n"
    assert (tmp_path / "mails").read_text().count("Auto-Submitted: auto-generated") == 2


@pytest.mark.parametrize(
    ("change", "code", "problem"),
    [
        ("--deadline=soon", 2, "soon is not a date; write 2027-03-31"),
        ("--census=/none", 1, "/none: cannot be read"),
        ("--rightsize=/dev/zero/x", 1, "cannot be read"),
        ("--to-folder=/dev/null/letters", 1, "/dev/null/letters"),
    ],
)
def test_wrong_options_are_reported(
    words: list[str], change: str, code: int, problem: str
) -> None:
    results, _, err = run(*words, change)
    assert results == code
    assert problem in err


def test_a_client_without_a_sufficient_view_gets_the_reason_and_no_lines(
    words: list[str], tmp_path: Path
) -> None:
    reason = "it has files directly in //depot/, and no line may map that directory"
    row = {**WIDE, "name": "ann-3", "fix": None, "keeps_files": False, "reason": reason}
    row_with_kept_files = {**WIDE, "name": "ann-4", "keeps_files": True, "reason": None}
    (tmp_path / "census").write_text(f"{json.dumps(row)}\n{json.dumps(row_with_kept_files)}\n")
    proposal = {**PROPOSAL, "client": "ann-3"}
    text = run(*words)[1]
    (tmp_path / "r").write_text(json.dumps(proposal) + "\n")
    with_view = run(*words)[1]
    assert "No lines are proposed" not in with_view
    assert "Replace all lines of its View (p4 client ann-3) by:" in with_view
    assert f"No lines are proposed: {reason}. Ask before you change its view." in text
    assert text.count("Replace all lines of its View (p4 client ann-4) by:") == 1
    assert "For example" not in text


def test_lines_about_options_come_without_advice_on_directories(
    words: list[str], tmp_path: Path
) -> None:
    row = {**WIDE, "name": "ann-5", "fix": "Options: rmdir"}
    (tmp_path / "census").write_text(f"{json.dumps(row)}\n")
    text = run(*words)[1]
    assert "\n  Edit it with p4 client ann-5 and write, for example:\n    Options: rmdir\n" in text


def test_a_placeholder_comes_with_the_command_that_lists_the_names(
    words: list[str], tmp_path: Path
) -> None:
    fix = "//depot/docs/DIRECTORY/... //ann-6/docs/DIRECTORY/..."
    sentence = 'Put a name in place of DIRECTORY; this lists the names: p4 dirs "//depot/docs/*"'
    row = {**WIDE, "name": "ann-6", "fix": fix, "choice": [sentence]}
    (tmp_path / "census").write_text(f"{json.dumps(row)}\n")
    assert f"    {fix}\n  {sentence}\n" in run(*words)[1]


@pytest.mark.parametrize("keeps_files", [False, True])
def test_lines_to_choose_from_are_sorted_and_those_of_a_whole_view_keep_their_order(
    words: list[str],
    tmp_path: Path,
    keeps_files: bool,  # noqa: FBT001 - a case
) -> None:
    lines = [f"//depot/{name}/... //ann-7/{name}/..." for name in ("b", "a")]
    row = {**WIDE, "name": "ann-7", "fix": "\n".join(lines), "keeps_files": keeps_files}
    (tmp_path / "census").write_text(f"{json.dumps(row)}\n")
    shown = lines if keeps_files else lines[::-1]
    assert "".join(f"    {line}\n" for line in shown) in run(*words)[1]


def test_a_letter_uses_singular_for_one_spec_and_plural_for_several(
    words: list[str], tmp_path: Path
) -> None:
    opening = (
        "From 2027-03-31 on, the Perforce server will refuse to save clients, branches and other "
        "specs that slow it down. Please change {} of yours before that day:\n"
    )
    assert opening.format("these 2 specs") in run(*words)[1]
    (tmp_path / "census").write_text(f"{json.dumps(WIDE)}\n")
    text = run(*words)[1]
    assert "Subject: Please change 1 Perforce spec by 2027-03-31\n" in text
    assert opening.format("this spec") in text


def test_addresses_in_other_encodings_are_read_or_named(words: list[str], tmp_path: Path) -> None:
    before = run(*words)
    addresses = tmp_path / "users.csv"
    addresses.write_text(ADDRESSES, "utf-8-sig")
    assert run(*words) == before
    addresses.write_text(ADDRESSES, "utf-16")
    assert run(*words)[2] == f"p4warden: {addresses} is UTF-16 (save it as UTF-8)\n"
    addresses.write_text("x" * 200_000)
    assert f"p4warden: {addresses}: is not CSV: field larger" in run(*words)[2]


def test_lines_of_a_choice_that_is_no_list_are_left_out(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "census").write_text(f"{json.dumps({**WIDE, 'choice': 5})}\n")
    assert run(*words)[0] == 0


def test_a_file_that_is_not_a_census_is_reported(words: list[str], tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("{}\n")
    message = (
        f"{other}:1: this line is not output of p4warden census --json; create the file with that "
        "command\n"
    )
    assert message in run(*words, f"--census={other}")[2]
    other.write_text("type,name\n")
    assert message in run(*words, f"--census={other}")[2]


@pytest.mark.parametrize(
    "line",
    [
        {"client": "ann-ws"},
        {"client": "ann-ws", "proposal": {}},
        {"client": "ann-ws", "proposal": {"files": 3}},
        {"client": "ann-ws", "proposal": {"view": "//depot/... //ann-ws/..."}},
        {"client": "ann-ws", "proposal": "none"},
        {**PROPOSAL, "leaving": 5},
        {"client": "ann-ws", "proposal": ["//depot/... //ann-ws/..."]},
        {"proposal": PROPOSAL["proposal"]},
    ],
)
def test_a_file_that_is_not_from_rightsize_is_reported(
    words: list[str], tmp_path: Path, line: dict[str, Any]
) -> None:
    other = tmp_path / "other"
    other.write_text(json.dumps({"client": "ben-ws", "proposal": None}) + "\n" + json.dumps(line))
    code, _, err = run(*words, f"--rightsize={other}")
    assert code == 1
    assert (
        f"{other}:2: this line is not output of p4warden rightsize --json; create the file with "
        "that command\n" in err
    )


@pytest.mark.parametrize(
    ("more", "promise", "removed"),
    [
        ({}, "keep all files that it has and that its view maps today.", None),
        ({"leaving": ["//depot/a/f", "//depot/a/g"]}, "keep the files that were used lately;", 2),
        (
            {"outside": 371},
            "keep all files that it has and that its view maps today.",
            "Its view does not map 371 files that it has: the next sync",
        ),
    ],
)
def test_a_letter_says_which_files_the_lines_do_not_keep(
    more: dict[str, Any], promise: str, removed: int | str | None, words: list[str], tmp_path: Path
) -> None:
    proposals = tmp_path / "proposals"
    proposals.write_text(json.dumps({**PROPOSAL, **more}) + "\n")
    letter = run(*words, f"--rightsize={proposals}")[1].partition("client ann-ws\n")[2]
    assert f"These lines {promise}" in letter
    assert ("other files will leave your disk" in letter) == (removed == 2)
    if isinstance(removed, str):
        assert removed in letter
    assert ("with these lines or without" in letter) == isinstance(removed, str)


GERMAN = """\
Subject: Bitte bis {deadline} ändern: {number} Clients

Hallo {owner},

auf {server} geht ab {deadline} nicht mehr:

{specs}

Fragen an {contact}
"""


def test_a_site_writes_subject_and_text_in_its_language(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text(GERMAN, encoding="utf-8")
    options = (f"--template={tmp_path}/letter.txt", f"--to-folder={tmp_path}/letters")
    assert run(*words, *options)[0] == 0
    letter = mails(tmp_path / "letters")[0]
    assert letter["Subject"] == "Bitte bis 2027-03-31 ändern: 2 Clients"
    text = letter.get_content()
    assert text.startswith(
        "Hallo ann,\n\nauf the Perforce server geht ab 2027-03-31 nicht mehr:\n"
    )
    assert "\n\nclient ann-ws\n  View line 1 (" in text
    assert text.endswith("\n\nFragen an p4-admins@example.com\n")


def test_words_in_braces_in_names_have_no_value() -> None:
    own = template.checked("Subject: {owner}\n\n{owner}: {specs}", "letter.txt")
    values = {"owner": "{contact}", "specs": "{owner} {0.x} %s", "contact": "admins"}
    assert own.filled(values) == ("{contact}", "{contact}: {owner} {0.x} %s")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "letter.txt:1: write Subject: and the subject, an empty line, and the text"),
        ("Subject: a\nb\n\n{specs}", "letter.txt:1: write Subject: and the subject"),
        ("Subject: a\n\nb", "letter.txt: write {specs} in the text, where the specs are"),
        ("Subject: {specs}\n\n{specs}", "letter.txt: write {specs} in the text"),
        ("Subject: a\n\n{specs}\n{user}", "letter.txt:4: {user} has no value; there are {owner}"),
    ],
)
def test_a_template_that_is_wrong_is_reported_in_one_line(
    content: str, problem: str, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "letter.txt").write_text(content)
    code, _, err = run(*words, f"--template={tmp_path}/letter.txt")
    assert (code, err.count("\n")) == (1, 1)
    assert problem in err
