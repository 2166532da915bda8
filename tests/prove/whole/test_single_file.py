"""Tests of p4warden-prove.pyz on a Python that has P4Python and no other package."""

import json
import os
import runpy
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import P4
import pytest

from prove.p4ds import MakeProgram, program, sandbox

__all__ = ["program"]
ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def single_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("file") / "p4warden-prove.pyz"
    runpy.run_path(str(ROOT / "prove_file" / "build.py"))["build"](target)
    return target


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """Fixture: the Python of a new virtual environment without packages."""
    venv.create(tmp_path / "python", symlinks=True)
    return tmp_path / "python" / "bin" / "python3"


def run(python: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    temp = python.parents[1] / "temp"
    temp.mkdir()
    environment = {**os.environ, "TMPDIR": str(temp)}
    process = subprocess.run(
        [python, *words], env=environment, cwd=temp, capture_output=True, text=True, check=False
    )
    assert list(temp.iterdir()) == []
    return process


def test_one_file_proves_a_server_with_the_gate_outside_of_the_clone(
    single_file: Path, python: Path, program: MakeProgram, tmp_path: Path
) -> None:
    [packages] = python.parents[1].glob("lib/python*/site-packages")
    api = Path(P4.__file__).parent
    for file in [api / "P4.py", *api.glob("P4API*")]:
        shutil.copy(file, packages)
    report = tmp_path / "report.json"
    process = run(python, single_file, "--p4d", program(sandbox("2024.2")), "--json", report)
    assert process.returncode == 0, process.stdout
    values = {fact["id"]: fact["value"] for fact in json.loads(report.read_text("utf-8"))["facts"]}
    has_gate = Path(sys.executable).with_name("p4warden-gate").is_file()
    assert values["whole_life.rate"] == ("refused" if has_gate else "no-gate")
    assert values["whole_life.wide-client"] == "refused"
    assert str(tmp_path) not in report.read_text("utf-8")


def test_one_file_says_what_it_needs(single_file: Path, python: Path) -> None:
    process = run(python, single_file, "--p4d", "p4d")
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr == (
        f"p4warden-prove: it needs P4Python: {python} -m pip install p4python\n"
    )
