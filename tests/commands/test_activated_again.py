"""Tests of `p4warden activate` of the running policy: no change, but damaged files are mended."""

from __future__ import annotations

from pathlib import Path

import pytest

from p4warden import cli
from p4warden.history import trail

POLICY = Path(__file__).parents[2] / "policies" / "default.yaml"
DERIVED = ("policy.json", "policy.source", "history/policy-*.json", "history/policy-*.yaml")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "policy.yaml").write_bytes(POLICY.read_bytes())
    activate(tmp_path / "home")
    return tmp_path / "home"


def activate(home: Path, *words: str) -> None:
    policy = home.with_name("policy.yaml")
    assert cli.run(["activate", *(words or [str(policy)]), "--home", str(home)]) == 0


def times(home: Path) -> dict[str, tuple[int, int]]:
    paths = [home, *home.rglob("*")]
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_ctime_ns) for path in paths}


def contents(home: Path) -> dict[str, bytes]:
    names = (DERIVED[0], DERIVED[1], "history/*")
    return {str(file): file.read_bytes() for name in names for file in home.glob(name)}


def actions(home: Path) -> list[str]:
    return [change.action for change in trail.changes(str(home))]


@pytest.mark.parametrize("words", [(), ("-m", "again", "POLICY"), ("--home", "HOME")])
def test_the_running_policy_changes_no_file_and_no_time(
    home: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    before = times(home)
    places = {"POLICY": str(home.with_name("policy.yaml")), "HOME": str(home)}
    capsys.readouterr()
    activate(home, *(places.get(word, word) for word in words))
    assert times(home) == before
    captured = capsys.readouterr()
    assert "is already active; rules: 1 enforce, 1 observe\n" in captured.out
    assert "note:" not in captured.err
    assert actions(home) == ["activate"]


@pytest.mark.parametrize("damage", ["missing", "cut", "other"])
@pytest.mark.parametrize("name", DERIVED)
def test_a_missing_or_damaged_file_is_written_again(home: Path, name: str, damage: str) -> None:
    before = contents(home)
    [file] = home.glob(name)
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-5] if damage == "cut" else b"{}")
    activate(home)
    assert contents(home) == before
    again = times(home)
    activate(home)
    assert times(home) == again
    # Whether a damaged policy was the same is not known.
    assert actions(home) == ["activate"] * (2 if name == "policy.json" else 1)


def test_a_history_that_is_lost_begins_again(home: Path) -> None:
    (home / trail.FILE_NAME).unlink()
    activate(home)
    activate(home)
    assert actions(home) == ["found"]


def test_the_same_policy_in_another_file_is_compared_with_that_file_from_then_on(
    home: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.yaml"
    other.write_bytes(POLICY.read_bytes())
    activate(home, str(other))
    assert (home / "policy.source").read_text() == f"{other}\n"
    assert actions(home) == ["activate"]


def test_another_policy_and_the_first_again_are_changes(home: Path) -> None:
    policy = home.with_name("policy.yaml")
    policy.write_text(POLICY.read_text() + "\n# edited\n")
    activate(home)
    policy.write_text(POLICY.read_text())
    activate(home)
    assert actions(home) == ["activate"] * 3


def test_the_same_policy_from_another_file_is_still_active(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = home.with_name("default.yaml")
    other.write_bytes(POLICY.read_bytes())
    capsys.readouterr()
    activate(home, str(other))
    assert "is still active; rules: 1 enforce, 1 observe\n" in capsys.readouterr().out
    assert actions(home) == ["activate"]
    other.write_text(f"{other.read_text()}\n# edited\n")
    activate(home, str(other))
    assert "is now active; rules: 1 enforce, 1 observe\n" in capsys.readouterr().out
