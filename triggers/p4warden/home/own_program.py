"""How this p4warden is called: by the one file that runs it for now, by PATH, or by its path."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

from p4warden.asking import gate_program
from p4warden.core.subcommands import SUBCOMMANDS

_NAME = "p4warden"
_CALLS = re.compile(rf"(?<![\w./-]){_NAME} (?=(?:{'|'.join(SUBCOMMANDS)})\b)")


def words() -> list[str]:
    """Return the words with which a shell here calls this p4warden."""
    if file := os.environ.get("P4WARDEN_FILE"):
        return ["python3", file]
    own = Path(gate_program.path()).with_name(_NAME)
    return [_NAME if shutil.which(_NAME) or not own.is_file() else str(own)]


def named_in(text: str) -> str:
    """Return a text in which each command `p4warden SUBCOMMAND` can be pasted here."""
    return _CALLS.sub(lambda _: f"{shlex.join(words())} ", text)
