from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONG_BYTES = 50_000_000
"""Size of the files to read, in bytes, up to which no progress bar is shown."""


@contextlib.contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """Context manager: yield a function (bytes read, total) that moves a progress bar.

    Without a terminal the function does nothing. The bar is visible only if more than `LONG_BYTES`
    are to be read, or an unknown number.
    """
    if not sys.stderr.isatty():
        yield lambda _read, _of: None
        return
    # Import the progress bar only when needed: it takes a tenth of the time of a short replay.
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
