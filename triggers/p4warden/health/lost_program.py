"""How a program of this version that is lost or damaged is put back."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from p4warden.asking import gate_program
from p4warden.health.steps import step
from p4warden.home import program_start

_SCRIPT = "share/p4warden/deploy/install.sh"


def put_back(path: str | None = None) -> str:
    """Return the step that restores a program of a trigger line, or this version's gate.

    It returns to the previous version that was kept, or else installs this one again. Without a
    PREFIX only the program is taken from the file.
    """
    place = Path(path or gate_program.path())
    if place.parent.name != "bin" or place.parent.parent.name != "current":
        return step(*_from_file(str(place)))
    prefix = place.parent.parent.parent
    if _has_previous(prefix):
        script = f"{prefix}/previous/{_SCRIPT}"
        command = shlex.join(["sh", script, "--rollback", "--prefix", str(prefix)])
        return step("go back to the version before, which was kept", command)
    file, command = gate_program.file_name(), gate_program.install_command(str(prefix))
    return step(f"install it again, in the folder that has {file}", command)


def _from_file(path: str) -> tuple[str, str]:
    file = gate_program.file_name()
    folder = Path(file).stem
    unpack = shlex.join(["python3", file, "unpack", folder])
    copy = shlex.join(["install", "-D", "-m", "755", f"{folder}/bin/{gate_program.NAME}", path])
    return f"put it back, in the folder that has {file}", f"{unpack} && {copy}"


def _has_previous(prefix: Path) -> bool:
    previous, current = prefix / "previous", prefix / "current"
    if not all((previous / part).exists() for part in ("complete", _SCRIPT)):
        return False
    gate = str(previous / "bin" / gate_program.NAME)
    answer = program_start.ended(gate, "--version", within_s=gate_program.START_S)
    if answer is None or answer.returncode:
        return False
    return not current.is_symlink() or os.readlink(previous) != os.readlink(current)  # noqa: PTH115
