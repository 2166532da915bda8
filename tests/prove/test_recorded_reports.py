"""Tests of `p4warden prove --recorded`, which judges a stored report again without a server."""

import json
from pathlib import Path
from typing import Any

import pytest

from p4warden import cli
from p4warden.prove import facts_file
from p4warden.prove.report import as_document, report_of
from prove.recorded_reports import VERSION, recordings


def write_recording(folder: Path, fact: str = "", steps: dict[str, Any] | None = None) -> Path:
    report = report_of(VERSION, facts_file.experiments(), recordings(fact, steps))
    file = folder / "report.json"
    file.write_text(json.dumps(as_document(report)), "utf-8")
    return file


def test_a_report_of_a_good_server_is_judged_with_all_promises_held(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, markdown = write_recording(tmp_path), tmp_path / "report.md"
    assert cli.run(["prove", "--recorded", str(file), "--markdown", str(markdown)]) == 0
    out = capsys.readouterr().out
    assert out == (
        "P4D/LINUX26X86_64/2024.2/2697822 (2024/12/18): 143 of 143 facts determined.\n"
        "143 hold; all promises hold.\n"
    )
    assert "- All promises hold." in markdown.read_text("utf-8")


def test_a_broken_promise_is_reported_with_the_fact_and_the_promise_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_recording(tmp_path, "killed.missing", {"missing": {"rows": ["name: depot"]}})
    assert cli.run(["prove", "--recorded", str(file)]) == 1
    out = capsys.readouterr().out
    assert "killed.missing: allowed, which breaks without-gate; Is a command refused if its" in out
    assert out.endswith("; a promise does not hold.\n")
    assert " 1 break a promise" in out
    assert "A promise does not hold: If no process of p4warden can answer" in out


def test_an_inconclusive_fact_is_reported_with_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_recording(tmp_path)
    document = json.loads(file.read_text("utf-8"))
    document["recordings"] = [r for r in document["recordings"] if r["experiment"] != "table"]
    file.write_text(json.dumps(document), "utf-8")
    assert cli.run(["prove", "--recorded", str(file)]) == 2
    assert "table.bytes: inconclusive, it was not run\n" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "{}", "[" * 10_000, '{"recordings": []}', '{"p4d": 1}'])
def test_a_file_that_is_not_a_report_is_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    file = tmp_path / "report.json"
    file.write_text(text, "utf-8")
    assert cli.run(["prove", "--recorded", str(file)]) == 1
    output = capsys.readouterr().err
    assert output.startswith(f"p4warden: {file}: ")
    assert output.count("\n") == 1


def test_a_markdown_file_that_cannot_be_written_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_recording(tmp_path)
    nowhere = tmp_path / "no" / "report.md"
    assert cli.run(["prove", "--recorded", str(file), "--markdown", str(nowhere)]) == 1
    assert f"{nowhere}: its folder does not exist; create it first" in capsys.readouterr().err
    assert cli.run(["prove", "--recorded", str(file), "--markdown", str(tmp_path)]) == 1
    assert f"{tmp_path}: cannot be written: Is a directory" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--p4d", "x", "--recorded", __file__]])
def test_prove_requires_exactly_one_of_p4d_and_recorded(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["prove", *options]) == 2
    assert "specify either p4d with --p4d, or a report" in capsys.readouterr().err


def test_unreadable_content_of_an_edited_report_is_inconclusive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps: dict[str, Any] = {"process": {"rows": ["{"]}}
    file = write_recording(tmp_path, "environment.umask", steps)
    assert cli.run(["prove", "--recorded", str(file)]) == 2
    assert "environment.umask: inconclusive" in capsys.readouterr().out
