"""Tests that all pages can be read in a browser, on a desk and on a phone, by day and by night."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from pages.picture import drawing

from audit.test_audit import CHECKPOINT, NOW_S
from audit.test_audit import run as audit
from logs.test_incident import CASES
from logs.test_log_page import page as write_log_page
from reports.test_page import page as write_report
from support.browser import CHROMIUM, DRIVER, browser, faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from selenium.webdriver import Chrome

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER),
        reason="no chromium and chromedriver: no page is tried in a browser",
    ),
]
SVG = "{http://www.w3.org/2000/svg}"
CLIENT = "build-farm-linux-x86_64-{}-release-candidate"


@pytest.fixture(scope="module")
def driver() -> Iterator[Chrome]:
    with browser() as driver:
        yield driver


def audit_page(folder: Path) -> None:
    """Write the audit of a checkpoint with many clients of long names, and of a log."""
    names = [CLIENT.format(number) for number in range(30)]
    clients = [
        record
        for name in names
        for record in (
            f"@pv@ 6 @db.domain@ @{name}@ 99 @h@ @/w@ @@ @@ @svc-integration@ 1 {NOW_S} 0 @@ @@ ",
            f"@pv@ 1 @db.view@ @{name}@ 0 0 @//{name}/...@ @//depot/...@ ",
            f"@pv@ 3 @db.have@ @//{name}/main/lib/f1@ @//depot/main/lib/f1@ 1 0 1 ",
        )
    ]
    checkpoint = folder / "checkpoint"
    checkpoint.write_text("\n".join([*CHECKPOINT[:-1], *clients, CHECKPOINT[-1], ""]))
    log = CASES / "incident.log"
    assert audit(checkpoint, "--log", log, "--html", folder / "page.html")[0] == 0


PAGES: dict[str, Callable[[Path], object]] = {
    "audit": audit_page,
    "report": lambda folder: write_report(folder, "long_names.jsonl"),
    "report with hostile names": lambda folder: write_report(folder, "hostile.jsonl"),
    "log": lambda folder: write_log_page(folder, CASES / "incident.log", "--class", "all=*"),
}


def test_the_picture_of_a_report_has_the_texts_of_its_first_sections(tmp_path: Path) -> None:
    PAGES["report"](tmp_path)
    texts = [one.text for one in ET.fromstring(drawing(tmp_path / "page.html")).iter(f"{SVG}text")]
    assert texts[:2] == ["Decisions of p4warden", "Rules"]
    assert texts.count("no-whole-depot") == 3
    assert "svc-continuous-integration" in texts
    assert "Affected if enforced" not in texts


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_and_readable_in_a_browser(
    driver: Chrome, tmp_path: Path, name: str
) -> None:
    PAGES[name](tmp_path)
    shown = [(width, scheme) for width in (1280, 840, 390) for scheme in ("light", "dark")]
    assert {one: faults(driver, tmp_path / "page.html", *one) for one in shown} == {
        one: [] for one in shown
    }
