"""Whether a report says that `p4 monitor terminate` was tried on a release of p4d."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from p4warden.core.releases import of_version
from p4warden.prove.records import HOLDS, TOLERATED

FACTS = ("terminate.marks", "terminate.ends", "terminate.young")


def problem_of(file: str, version: str) -> str | None:
    """Return why a report does not allow to end commands on a server, by its version text."""
    try:
        return _problem(json.loads(Path(file).read_bytes()), version)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except (ValueError, RecursionError) as error:
        return f"is no JSON: {error}"


def _problem(document: Any, version: str) -> str | None:
    if not isinstance(document, dict) or not isinstance(document.get("facts"), list):
        return "is not a report of p4warden prove"
    proved, own = _release(document.get("p4d")), _release(version)
    if proved is None or proved != own:
        return f"is about p4d {proved or 'of an unknown release'}, and the server is {own}"
    facts = [fact for fact in document["facts"] if isinstance(fact, dict)]
    shown = [fact.get("id") for fact in facts if fact.get("verdict") in (HOLDS, TOLERATED)]
    missing = [name for name in FACTS if name not in shown]
    return f"does not show {missing[0]}" if missing else None


def _release(version: object) -> str | None:
    releases = of_version(str(version))
    return releases.text() if releases else None
