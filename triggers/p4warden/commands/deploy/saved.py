"""The plan between `plan` and `apply`, as a file of the home folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import p4warden
from p4warden.errors import P4WardenError
from p4warden.table import Plan

FILE_NAME = "deploy.plan.json"


def program() -> tuple[str, ...]:
    """Return the words that start a form trigger: this Python, and the worker's launcher."""
    launcher = Path(p4warden.__file__).with_name("launch_worker.py")
    return (sys.executable, "-I", "-S", str(launcher.resolve()))


def dumps(server: str, plan: Plan) -> bytes:
    """Write a plan and the server it is for."""
    return json.dumps({"server": server, "plan": plan._asdict()}, indent=1).encode()


def loads(text: bytes) -> tuple[str, Plan]:
    """Read a plan and the server it is for.

    Raises:
        P4WardenError: the file is none that `dumps` wrote.
    """
    try:
        document = json.loads(text)
        return document["server"], Plan(**document["plan"])
    except (ValueError, KeyError, TypeError) as error:
        raise P4WardenError(f"{FILE_NAME} cannot be read ({error}); plan again") from error
