"""Debian's chromium, without a window, in which tests look at p4warden's pages."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

if TYPE_CHECKING:
    from collections.abc import Iterator

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
_FAULTS = Path(__file__).with_name("page_faults.js").read_text("utf-8")
_HEIGHT = 800


@contextlib.contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for word in ("headless", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
        options.add_argument(f"--{word}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, Service(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def show(driver: webdriver.Chrome, page: Path, width: int, scheme: str) -> None:
    """Show a page at a width in pixels, in a `light` or `dark` scheme."""
    metrics = {"width": width, "height": _HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    driver.get(page.resolve().as_uri())


def faults(driver: webdriver.Chrome, page: Path, width: int, scheme: str) -> list[str]:
    """Return what a page lacks at a width in pixels, in a `light` or `dark` scheme."""
    show(driver, page, width, scheme)
    found: list[str] = driver.execute_script(_FAULTS)
    messages = driver.get_log("browser")  # type: ignore[no-untyped-call]
    return [*found, *(one["message"] for one in messages)]
