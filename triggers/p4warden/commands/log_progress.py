"""How far the reading of long logs is."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONG_BYTES = 50_000_000
"""Below this there is nothing to wait for."""


@contextlib.contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """Yield what progress is told to: a bar for people who wait, or nothing."""
    if not sys.stderr.isatty():
        yield lambda _read, _of: None
        return
    # Importing it takes a tenth of what a replay of a short log does.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        DownloadColumn,
        Progress,
        TimeRemainingColumn,
    )

    columns = BarColumn(), DownloadColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", visible=False)
        yield lambda read, of: bar.update(
            task, completed=read, total=of or None, visible=of > LONG_BYTES or of == 0
        )
