"""Tests that each folder of tests is named like a room of the package, or like what is no room."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
PACKAGE = TESTS.parent / "triggers" / "p4warden"
ROOMS = {
    file.parent.name
    for pattern in ("*/__init__.py", "workbench/*/__init__.py")
    for file in PACKAGE.glob(pattern)
}
OTHERS = {"delivery", "deploy", "docs", "gate", "journey", "oracle", "sandbox", "sources", "spark"}
DATA = {"cases", "support", "vendor"}


def test_each_folder_of_tests_is_a_room_or_what_is_no_room() -> None:
    folders = {file.relative_to(TESTS).parts[0] for file in TESTS.rglob("*.py")} - {"conftest.py"}
    assert folders - DATA <= ROOMS | OTHERS
