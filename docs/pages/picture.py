"""Draw the first sections of a report, as a browser shows them, as SVG.

`PYTHONPATH=docs:tests python -m pages.picture PAGE FILE`. The drawing has the page's colours by
day and by night.
"""

from __future__ import annotations

import re
import sys
from importlib import resources
from pathlib import Path

from support.browser import browser, show

_WIDTH = 1240
"""Pixels, with a scroll bar; the table of rules needs as many to be shown as one."""
_LEFT_OUT = "header p, nav, section:nth-of-type(n+4) { display: none; }"
_COLOURS = re.compile(r":root \{[^}]*\}|@media[^{]*\{ :root \{[^}]*\} \}")


def main() -> None:
    """Draw the page that the command line names into the file that it names."""
    page, file = map(Path, sys.argv[1:])
    file.write_text(drawing(page), "utf-8")


def drawing(page: Path) -> str:
    """Return the first sections of a page as SVG."""
    elements = (resources.files("pages") / "picture.js").read_text("utf-8")
    with browser() as driver:
        show(driver, page, _WIDTH, "light")
        driver.execute_script("document.styleSheets[0].insertRule(arguments[0])", _LEFT_OUT)
        size = driver.execute_script("return document.body.getBoundingClientRect()")
        parts = driver.execute_script(elements)
    style = (resources.files("p4warden.reports") / "page.css").read_text("utf-8")
    box = f"0 0 {size['width']:.0f} {size['height']:.0f}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">',
            f"<style>{' '.join(_COLOURS.findall(style))}",
            "text { font-family: system-ui, sans-serif; }</style>",
            *parts,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    main()
