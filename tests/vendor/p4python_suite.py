"""Run P4Python's own tests, unmodified, against the sandbox in place of p4d.

    p4python_suite.py FOLDER RELEASE

FOLDER is P4Python's source distribution, RELEASE the p4d release of the sandbox.

Each test runs in a separate process and folder, with a program `p4d` first on PATH. p4python.yaml
names the tests that cannot pass, each with its error. The exit status is 1 if a result differs
from that.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import yaml

FOLDER = Path(__file__).parent
SUITE, CASE, TRIGGER_FILE = "p4test.py", "TestP4", "job_trigger.py"
LIMIT_S = 120
AT_ONCE = 4
KEPT_LINES = 15


class Outcome(NamedTuple):
    """Result of a test of P4Python's suite; `output` is all text that the test printed."""

    name: str
    has_passed: bool
    output: str


def main(folder: Path, release: str) -> int:
    present = yaml.safe_load((FOLDER / "p4python.yaml").read_text("utf-8"))
    with tempfile.TemporaryDirectory(prefix="p4warden-vendor-") as scratch:
        run = partial(run_test, folder, Path(scratch), environment(Path(scratch), release))
        with ThreadPoolExecutor(AT_ONCE) as threads:
            outcomes = list(threads.map(run, names(folder / SUITE)))
    results = problems(outcomes, present["cannot_pass"])
    print(summary(outcomes, present, release), *results, sep="\n")
    return int(bool(results))


def names(suite: Path) -> list[str]:
    """Return the names of the test methods directly in the test class of P4Python's suite."""
    tree = ast.parse(suite.read_text("utf-8"))
    case = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == CASE)
    functions = [n.name for n in case.body if isinstance(n, ast.FunctionDef)]
    return [name for name in functions if name.startswith("test")]


def environment(scratch: Path, release: str) -> dict[str, str]:
    """Return environment variables without Perforce settings, with a `p4d` on PATH that is the
    sandbox.
    """
    programs = scratch / "bin"
    programs.mkdir()
    p4d = FOLDER.parent / "support" / "p4d"
    (programs / "p4d").symlink_to(p4d.resolve())
    variables = {name: value for name, value in os.environ.items() if not name.startswith("P4")}
    return {
        **variables,
        "PATH": f"{programs}:{variables['PATH']}",
        # Keep P4Python's source folder off the import path, so that the installed P4Python is
        # tested.
        "PYTHONSAFEPATH": "1",
        "P4WARDEN_SANDBOX_PYTHON": sys.executable,
        "P4WARDEN_SANDBOX_LIKE": release,
    }


def run_test(folder: Path, scratch: Path, settings: dict[str, str], name: str) -> Outcome:
    """Run one test of P4Python's suite in a temporary folder, which is also its home folder."""
    own = scratch / name
    own.mkdir()
    shutil.copy(folder / TRIGGER_FILE, own)
    files = {"HOME": own, "P4ENVIRO": own / "enviro", "P4TICKETS": own / "tickets"}
    try:
        process = subprocess.run(
            [sys.executable, str(folder / SUITE), f"{CASE}.{name}"],
            cwd=own,
            env={**settings, **{key: str(path) for key, path in files.items()}},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return Outcome(name, has_passed=False, output=f"{late.output!r}\nno end after {LIMIT_S} s")
    output = process.stdout.decode("utf-8", "replace")
    return Outcome(
        name, has_passed=process.returncode == 0 and "skipped" not in output, output=output
    )


def problems(outcomes: list[Outcome], expected_failures: dict[str, dict[str, str]]) -> list[str]:
    """Return a message for each difference between test results and p4python.yaml."""
    test_names = {outcome.name for outcome in outcomes}
    results = [
        f"{name}: the suite has no such test"
        for name in expected_failures
        if name not in test_names
    ]
    for name, passed, output in outcomes:
        last = "\n".join(output.splitlines()[-KEPT_LINES:])
        if name not in expected_failures:
            results += [] if passed else [f"{name}: it fails\n{last}"]
        elif passed:
            results.append(f"{name}: it passes; take it out of p4python.yaml")
        elif expected_failures[name]["output"] not in output:
            results.append(f"{name}: it fails for another reason than its own\n{last}")
    return results


def summary(outcomes: list[Outcome], expected: dict[str, Any], release: str) -> str:
    pass_count = sum(outcome.has_passed for outcome in outcomes)
    client = metadata.version("p4python")
    missing_features = sorted({one["lacks"] for one in expected["cannot_pass"].values()})
    return (
        f"test-vendor: the suite of P4Python {expected['release']}, client {client}, on a sandbox"
        f" like {release}: {pass_count} of {len(outcomes)} tests pass;"
        f" the sandbox lacks {', '.join(missing_features)}"
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2]))
