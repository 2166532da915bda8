"""End-to-end tests of `p4warden prove`, which tests assumptions about a p4d."""

import base64
import contextlib
import getpass
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from p4warden.prove import facts_file
from p4warden_sandbox import Settings, like, settings_from_report
from prove.p4ds import MakeProgram, named_by_p4d, program, sandbox
from support.processes import wait_until_gone

__all__ = ["program"]
PATIENCE_S = 170
FACTS = [fact for one in facts_file.experiments() for fact in one.facts]
OF_CALLER = "settings-of-the-caller"
pytestmark = pytest.mark.timeout(300)


class ProveRun:
    """Test run of `p4warden prove`, which must not change the Perforce settings of its caller."""

    def __init__(self, folder: Path) -> None:
        self.temp = folder / "temp"
        self.temp.mkdir()
        self.json, self.markdown = folder / "report.json", folder / "report.md"
        self._own_folder = folder / "own"
        self._own_folder.mkdir()
        for name in ("enviro", "tickets", ".p4config"):
            (self._own_folder / name).write_text(f"P4USER={OF_CALLER}\n", "ascii")

    def command(self, program: str) -> list[str]:
        files = ["--json", str(self.json), "--markdown", str(self.markdown)]
        return [sys.executable, "-m", "p4warden", "prove", "--p4d", program, *files]

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "TMPDIR": str(self.temp),
            "P4PORT": "ssl:nowhere.invalid:1",
            "P4USER": OF_CALLER,
            "P4CLIENT": OF_CALLER,
            "P4HOST": OF_CALLER,
            "P4PASSWD": OF_CALLER,
            "P4CHARSET": "utf16",
            "P4CONFIG": ".p4config",
            "P4ENVIRO": str(self._own_folder / "enviro"),
            "P4TICKETS": str(self._own_folder / "tickets"),
            "P4WARDEN_HOME": str(self._own_folder / "home"),
        }

    def start(self, program: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self.command(program),
            env=self.environment(),
            cwd=self._own_folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, program: str) -> tuple[int, str, str]:
        with self.start(program) as process:
            output, errors = process.communicate(timeout=PATIENCE_S)
            return process.returncode, output, errors

    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads(self.json.read_text("utf-8"))
        return report

    def verdicts(self, verdict: str) -> dict[str, str]:
        return {f["id"]: f["value"] for f in self.report()["facts"] if f["verdict"] == verdict}

    def assert_nothing_is_left(self) -> None:
        assert list(self.temp.iterdir()) == []
        assert {file.name for file in self._own_folder.iterdir()} == {
            "enviro",
            "tickets",
            ".p4config",
        }
        own = {file.read_text("ascii") for file in self._own_folder.iterdir()}
        assert own == {f"P4USER={OF_CALLER}\n"}


@pytest.fixture
def proof_run(tmp_path: Path) -> ProveRun:
    return ProveRun(tmp_path)


def assert_all_promises_hold(proof_run: ProveRun, program: str) -> None:
    code, output, errors = proof_run.run(program)
    assert proof_run.verdicts("breaks a promise") == {}, output
    assert proof_run.verdicts("inconclusive") == {}, output
    assert (code, "Traceback" in errors) == (0, False)
    assert proof_run.report()["broken_promises"] == {}
    proof_run.assert_nothing_is_left()
    assert_names_no_host(proof_run)


def assert_names_no_host(proof_run: ProveRun) -> None:
    texts = [proof_run.markdown.read_text("utf-8"), *strings(proof_run.report())]
    # Below the temporary folder there are only names that the experiments give.
    report_text = re.sub(r"<folder>[/\w.-]+", "<folder>", "\n".join(texts))
    identities = [socket.gethostname(), getpass.getuser(), OF_CALLER]
    for word in identities:
        results = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", report_text)
        assert results is None, report_text[max(0, results.start() - 60) : results.end() + 60]
    for path in (str(proof_run.temp), sys.prefix, str(Path("~").expanduser()), "127.0.0.1"):
        assert path not in report_text


def strings(value: object) -> Iterator[str]:
    """Yield all string values in a JSON document; those that are base64 also in decoded form."""
    if isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)
    elif isinstance(value, str):
        yield value
        with contextlib.suppress(ValueError):
            yield base64.b64decode(value, validate=True).decode("utf-8", "replace")


def test_all_promises_hold_on_the_sandbox_of_the_newest_release(
    proof_run: ProveRun, program: MakeProgram
) -> None:
    assert_all_promises_hold(proof_run, program(sandbox("2026.1")))
    report = proof_run.report()
    assert report["p4d"] == "P4D/P4WARDEN-SANDBOX/2026.1/0 (2026/01/01)"
    results = {fact["id"]: fact["value"] for fact in report["facts"]}
    assert results["login.first-password"] == "password-first"
    assert results["killed.signal"] == "failure"
    assert results["arguments.args"] == "doubled"
    assert results["names.program-quote"] == "refused"
    assert results["synonyms.changelists"] == "main"
    assert results["forms.unchanged"] == "silent"
    assert_can_be_replayed(report)


@pytest.mark.parametrize(
    ("release", "variants"),
    [("2019.1", ()), ("2024.2", ("server-id=set", "protections=filled"))],
)
def test_all_promises_hold_on_older_sandboxes_bare_or_with_an_id(
    proof_run: ProveRun, program: MakeProgram, release: str, variants: tuple[str, ...]
) -> None:
    assert_all_promises_hold(proof_run, program(sandbox(release, *variants)))
    values = {fact["id"]: fact["value"] for fact in proof_run.report()["facts"]}
    assert values["server_id.none"] == ("named" if variants else "error-7737")
    assert len(proof_run.markdown.read_bytes()) < 100_000


def assert_can_be_replayed(report: dict[str, Any]) -> None:
    """Check that the sandbox settings derived from a `prove` report equal those of release 2026.1.

    Of the variants only those that a fact concerns are compared.
    """
    settings, without = settings_from_report(report)
    about = {v.partition("=")[0] for fact in FACTS for v in fact.variants.values()}
    variants = {name: value for name, value in like("2026.1").variants.items() if name in about}
    assert {name: settings.variant(name) for name in about} == {
        name: Settings(variants=variants).variant(name) for name in about
    }
    assert settings.server_version == like("2026.1").server_version
    assert without == ()


@pytest.mark.p4d
def test_all_promises_hold_on_a_p4d(proof_run: ProveRun, program: MakeProgram) -> None:
    assert_all_promises_hold(proof_run, program(named_by_p4d()))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 1", "-V prints no P4D release; specify p4d with --p4d"),
        ("head -c 100000 /dev/urandom", "-V prints no P4D release; specify p4d with --p4d"),
        (
            '[ "$1" = -V ] && echo Rev. P4D/X/2024.2/1. && exit; exit 3',
            "p4d ended with 3 before it listened",
        ),
    ],
)
def test_a_program_that_is_not_p4d_is_reported_in_one_line(
    proof_run: ProveRun, program: MakeProgram, script: str, message: str
) -> None:
    path = program(script)
    code, output, errors = proof_run.run(path)
    assert code == 2
    assert message in errors
    assert (output, errors.count("\n")) == ("", 1)
    assert not proof_run.markdown.exists()
    proof_run.assert_nothing_is_left()


@pytest.mark.parametrize("name", ["", "/nowhere/at/all", "/etc/passwd", "/"])
def test_a_path_that_is_not_a_program_is_reported_in_one_line(
    proof_run: ProveRun, name: str
) -> None:
    code, _, errors = proof_run.run(name)
    assert (code, errors.count("\n")) == (2, 1)
    assert "cannot be started" in errors
    proof_run.assert_nothing_is_left()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_prove_and_p4d_and_leaves_no_temporary_files(
    proof_run: ProveRun, program: MakeProgram, tmp_path: Path, number: signal.Signals
) -> None:
    note = tmp_path / "pid-of-p4d"
    script = f'[ "$1" = -V ] || echo $$ >{note}\n{sandbox("2024.2")}'
    with proof_run.start(program(script)) as process:
        assert process.stderr
        assert any("triggers table" in line for line in process.stderr)
        process.send_signal(number)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
    assert wait_until_gone(int(note.read_text("ascii")))
    proof_run.assert_nothing_is_left()
