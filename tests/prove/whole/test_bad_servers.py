"""End-to-end tests of `p4warden prove` with servers that break promises, hang, or die."""

import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from p4warden.prove import facts_file
from p4warden.prove.experiment_run import prove
from p4warden.prove.records import BREAKS, HOLDS, INCONCLUSIVE, Experiment
from p4warden.prove.report import Report, report_of
from p4warden.prove.server import ServerError, TimeLimits, throw_away
from prove.p4ds import MakeProgram, program, sandbox, temp
from support.processes import wait_until_gone

__all__ = ["program", "temp"]
EXPERIMENTS = {experiment.name: experiment for experiment in facts_file.experiments()}
SPEAKER = """
import socket, sys
if "-V" in sys.argv:
    sys.exit(print("Rev. P4D/X/2024.2/1."))
host, _, port = sys.argv[sys.argv.index("-p") + 1].partition(":")
with socket.create_server((host, int(port))) as listener:
    kept = []
    while True:
        kept.append(listener.accept()[0])
        try:
            kept[-1].sendall({output!r})
        except OSError:
            pass
"""


def proved(
    path: str, *experiments: Experiment, end: Callable[[Experiment], None] | None = None
) -> Report:
    proof = prove(path, experiments, end or (lambda _: None))
    return report_of(proof.version, experiments, proof.recordings)


def values(report: Report, verdict: str) -> dict[str, str | None]:
    return {f.fact.id: f.value for f in report.findings if f.verdict == verdict}


def reasons(report: Report) -> set[str | None]:
    return {f.reason for f in report.findings if f.verdict == INCONCLUSIVE}


@pytest.mark.parametrize(
    ("experiment", "script", "broken_facts", "promises"),
    [
        (
            "synonyms",
            sandbox("2024.2", "forwarded=twice"),
            {"synonyms.times": "twice"},
            ["rates"],
        ),
        (
            "names",
            sandbox("2024.2", defects="quoted-programs-pass"),
            {"names.program-quote": "no-trigger"},
            ["names", "commands-judged"],
        ),
        (
            "killed",
            sandbox("2024.2", defects="exit-codes-ignored"),
            {"killed.exit-1": "allowed"},
            ["on-error", "commands-judged"],
        ),
        (
            "refusals",
            sandbox("2024.2", defects="first-lines-only"),
            dict.fromkeys(
                ("refusals.form-text", "refusals.submit-text", "refusals.command-text"), "cut"
            ),
            ["refusal-text"],
        ),
        (
            "terminate",
            sandbox("2024.2", defects="marks-ignored"),
            {"terminate.ends": "ran-on"},
            ["running"],
        ),
    ],
)
@pytest.mark.usefixtures("temp")
def test_a_server_that_breaks_a_promise_is_reported(
    program: MakeProgram,
    experiment: str,
    script: str,
    broken_facts: dict[str, str],
    promises: list[str],
) -> None:
    report = proved(program(script), EXPERIMENTS["login"], EXPERIMENTS[experiment])
    assert values(report, BREAKS) == broken_facts
    assert values(report, INCONCLUSIVE) == {}
    assert (report.exit_code, [*report.broken_promises]) == (1, promises)


@pytest.mark.usefixtures("temp")
def test_a_failed_step_leaves_only_the_facts_that_need_it_inconclusive(
    program: MakeProgram,
) -> None:
    script = program(sandbox("2024.2", defects="no-stream-depots"))
    report = proved(script, EXPERIMENTS["login"], EXPERIMENTS["forms"], EXPERIMENTS["words"])
    of_streams = {"forms.stream", "forms.stream-client", "forms.client-s", "forms.switch"}
    assert set(values(report, INCONCLUSIVE)) == of_streams
    [reason] = reasons(report)
    assert "Depot 'prove-streams' unknown" in str(reason)
    assert report.exit_code == 2


CHECKPOINT = (
    "@nx@ 0 1795479467 @43@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ \n"
    "@pv@ 1 @db.depot@ @depot@ 0 @@ @depot/...@ \n"
    "@pv@ 6 @db.domain@ @prove-ws@ 99 @@ @/r@ @@ @@ @prove-ann@ 1795479467 1795479467 0 "
    "@Made.\n@ @@ @@ 0 \n"
    "@pv@ 1 @db.view@ @prove-ws@ 0 0 @//prove-ws/...@ @//depot/...@ \n"
    "@pv@ 9 @db.rev@ @//depot/prove/a/one.txt@ 1 0 0 1 1 1 00 1 \n"
    "@pv@ 9 @db.rev@ @//depot/prove/a/two.txt@ 1 0 0 1 1 1 00 1 \n"
    "@pv@ 9 @db.rev@ @//depot/prove/b/three.txt@ 1 0 0 1 1 1 00 1 \n"
    "@nx@ 1 1795479467 @43@ 0 0 0 0 0 @@ @@ @@ @@ \n@ex@ 1 1795479467\n"
)
WITHOUT_A_CLIENT = CHECKPOINT.replace("@db.domain@ @prove-ws@ 99", "@db.domain@ @prove-ws@ 108")


@pytest.mark.usefixtures("temp")
@pytest.mark.parametrize(
    ("content", "value"), [(CHECKPOINT, "same"), (WITHOUT_A_CLIENT, "different")]
)
def test_a_dumped_checkpoint_is_compared_with_the_answers_of_the_server(
    program: MakeProgram, tmp_path: Path, content: str, value: str
) -> None:
    dumped = tmp_path / "dumped"
    dumped.write_text(content, "ascii")
    dump = f'case " $* " in *" -jd "*) for file; do :; done; exec cp {dumped} "$file";; esac'
    script = program(f"{dump}\n{sandbox('2024.2')}")
    report = proved(script, EXPERIMENTS["login"], EXPERIMENTS["checkpoint"])
    found = {f.fact.id: f.value for f in report.findings}
    names = ("index", "audit", "census")
    assert [found[f"checkpoint.{name}"] for name in names] == [value] * 3
    assert found["checkpoint.journal"] is None  # the sandbox rotates no journal


@pytest.mark.usefixtures("temp")
def test_row_counts_missing_from_replies_are_found_in_the_server_log(program: MakeProgram) -> None:
    script = program(sandbox("2024.2", defects="clients-untracked"))
    report = proved(script, EXPERIMENTS["login"], EXPERIMENTS["rows"])
    assert set(values(report, HOLDS)) >= {fact.id for fact in EXPERIMENTS["rows"].facts}
    assert report.exit_code == 0


@pytest.mark.usefixtures("temp")
def test_row_counts_reported_nowhere_are_inconclusive_and_break_no_promise(
    program: MakeProgram,
) -> None:
    script = program(sandbox("2024.2", defects="untracked"))
    report = proved(script, EXPERIMENTS["login"], EXPERIMENTS["rows"])
    assert set(values(report, INCONCLUSIVE)) == {fact.id for fact in EXPERIMENTS["rows"].facts}
    assert reasons(report) == {EXPERIMENTS["rows"].without_value}
    assert (report.exit_code, report.broken_promises) == (2, {})


@pytest.mark.usefixtures("temp")
def test_sandbox_settings_in_the_environment_are_passed_to_p4d(
    program: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P4WARDEN_SANDBOX_LIKE", "2019.1")
    report = proved(program(f'exec {sys.executable} -m p4warden_sandbox.p4d "$@"'))
    assert report.version == "P4D/P4WARDEN-SANDBOX/2019.1/0 (2019/01/01)"


def test_a_hanging_experiment_is_killed_and_the_next_experiment_runs(
    program: MakeProgram, temp: Path
) -> None:
    slow_experiment = EXPERIMENTS["submits"]._replace(deadline_s=0)
    experiments = (EXPERIMENTS["login"], slow_experiment, EXPERIMENTS["table"])
    report = proved(program(sandbox("2019.1")), *experiments)
    assert set(values(report, INCONCLUSIVE)) == {fact.id for fact in slow_experiment.facts}
    assert reasons(report) == {"it was not over after 0 s"}
    assert values(report, HOLDS)["table.new-connection"] == "new"
    assert report.exit_code == 2
    assert list(temp.iterdir()) == []


@pytest.mark.parametrize("output", [b"", b"\0garbage\xff" * 1000])
def test_facts_of_a_server_with_empty_or_invalid_output_are_inconclusive(
    program: MakeProgram, temp: Path, tmp_path: Path, output: bytes
) -> None:
    file = tmp_path / "speaker.py"
    file.write_text(SPEAKER.format(output=output), "utf-8")
    experiments = [EXPERIMENTS[name]._replace(deadline_s=2) for name in ("login", "table")]
    report = proved(program(f'exec {sys.executable} {file} "$@"'), *experiments)
    assert set(values(report, INCONCLUSIVE)) == {
        fact.id for one in experiments for fact in one.facts
    }
    assert report.exit_code == 2
    assert list(temp.iterdir()) == []


def test_after_the_server_ends_the_remaining_experiments_are_inconclusive(
    program: MakeProgram, temp: Path, tmp_path: Path
) -> None:
    note = tmp_path / "pid"

    def end(experiment: Experiment) -> None:
        if experiment.name == "killed":
            pid = int(note.read_text("ascii"))
            os.kill(pid, signal.SIGKILL)
            wait_until_gone(pid)

    script = f'[ "$1" = -V ] || echo $$ >{note}\n{sandbox("2019.1")}'
    experiments = [EXPERIMENTS[name] for name in ("login", "table", "killed")]
    report = proved(program(script), *experiments, end=end)
    assert set(values(report, INCONCLUSIVE)) == {fact.id for fact in experiments[2].facts}
    assert reasons(report) == {"p4d ended before it, with -9"}
    assert list(temp.iterdir()) == []


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exec sleep 60", "-V does not end within 0.5 s"),
        ('[ "$1" = -V ] && echo P4D/X && exit; exec sleep 60', "does not listen on its port"),
        (
            '[ "$1" = -V ] && echo P4D/X && exit; trap "" TERM; sleep 60 & wait; wait',
            "does not listen on its port",
        ),
    ],
)
def test_a_hanging_p4d_program_is_an_error_and_leaves_no_temporary_files(
    program: MakeProgram, temp: Path, script: str, message: str
) -> None:
    patience = TimeLimits(version_s=0.5, start_s=0.5, end_s=0.5)
    with pytest.raises(ServerError, match=message):
        prove(program(script), (), lambda _: None, patience)
    assert list(temp.iterdir()) == []


def test_experiments_are_not_run_after_the_total_time_limit(
    program: MakeProgram, temp: Path
) -> None:
    login = EXPERIMENTS["login"]
    proof = prove(program(sandbox("2019.1")), [login], lambda _: None, TimeLimits(all_s=0))
    assert proof.recordings["login"].trouble == "the time for all experiments was over"
    assert list(temp.iterdir()) == []


def test_a_temporary_folder_that_no_trigger_line_can_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a#b").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "a#b"))
    message = 'cannot contain a path with ", # or a line break; set TMPDIR to another folder'
    with pytest.raises(ServerError, match=message), throw_away("p4d"):
        pass
    assert list((tmp_path / "a#b").iterdir()) == []
