from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import SUPER
from p4warden.prove.processes import output_of

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping, Sequence

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_LIMIT_S = 60


OBSERVING = """\
version: 1
contact: "prove"
on_error: deny
rules:
  - {name: prove-view, rule: limit_view_scope, mode: observe, forms: [client]}
"""


def administer(lab: Lab, name: str, *words: str) -> bytes:
    """Run a `p4warden` command, record its exit code and its output, and return the output."""
    home = str(lab.place.folder / "home")
    settings = {"P4PORT": lab.place.port, "P4USER": SUPER, "P4WARDEN_HOME": home}
    process = run_p4warden(words, settings, _LIMIT_S)
    lab.note(name, str(process.returncode).encode(), process.stdout)
    return process.stdout


def run_p4warden(
    words: Sequence[str], settings: Mapping[str, str], limit_s: int
) -> subprocess.CompletedProcess[bytes]:
    """Run a `p4warden` command with these environment variables; its output is one text."""
    command = [sys.executable, "-I", "-m", "p4warden", *words]
    return output_of(command, {**os.environ, **settings}, limit_s)


def outcome(step: Step, texts: Sequence[bytes] = ()) -> str:
    """Return `works` if a command succeeded and printed one of the texts, else `fails`."""
    has_texts = not texts or any(text in step.rows[1] for text in texts)
    return "works" if step.rows[0] == b"0" and has_texts else "fails"
