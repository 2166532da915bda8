from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from p4warden.commands.options import home_option
from p4warden.pulse import measurements

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

Command = TypeVar("Command", bound="Callable[..., Any]")


def file_option(command: Command) -> Command:
    """Decorator: add --home and --output, which select the file of pulse measurements."""
    output = click.option(
        "--output",
        "log_file",
        metavar="FILE",
        help="The file of measurements; default: pulse.jsonl in the home folder.",
    )
    return home_option(output(command))


def log_path(home: str, log_file: str | None) -> Path:
    """Return the file of pulse measurements: `log_file`, else pulse.jsonl in the home folder."""
    return Path(log_file) if log_file else Path(home, measurements.FILE_NAME)
