"""Policies named on a command line by the name under which p4warden ships them."""

from pathlib import Path

import pytest

from p4warden import cli

SHIPPED = Path(__file__).parents[2] / "policies"
NAMES = ["agents", "builds", "default", "observe-arguments", "observe-everything", "strict"]


@pytest.mark.parametrize("name", NAMES)
def test_each_shipped_policy_is_known_by_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["test", name]) == 0
    assert cli.run(["check", name, "--home", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{SHIPPED / name}.yaml: ")


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_file_of_that_name_comes_first_and_a_folder_does_not(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if kind == "file":
        Path("default").write_text("version: 1\n")
        assert cli.run(["check", "default", "--home", str(tmp_path)]) == 1
        assert capsys.readouterr().out.startswith("default:1:1: ")
    else:
        Path("default").mkdir()
        assert cli.run(["check", "default", "--home", str(tmp_path)]) == 0


@pytest.mark.parametrize(
    "words",
    [
        ["check"],
        ["activate"],
        ["test"],
        ["programs"],
        ["replay", "log", "--policy"],
        ["replay", "log", "--compare"],
        ["census", "--policy"],
        ["rightsize", "--policy"],
        ["evaluate", "--policy"],
        ["explain", "--policy"],
        ["deploy", "plan", "--policy"],
        ["deploy", "apply", "--policy"],
        ["bench", "--with"],
    ],
    ids=" ".join,
)
def test_a_misspelt_name_is_answered_with_the_shipped_ones(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run([*words, "defualt"]) == 2
    problem = f"there is no file defualt, and no shipped policy of this name: {', '.join(NAMES)};"
    assert problem in capsys.readouterr().err
