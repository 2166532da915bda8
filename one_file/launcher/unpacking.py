"""Write a version of p4warden into a folder: a virtual environment of this host's Python."""

from __future__ import annotations

import compileall
import os
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

from launcher.host import RefusedError, base_python

if TYPE_CHECKING:
    from launcher.host import Version

_GATE = "bin/p4warden-gate"
_STARTER = """\
#!/bin/sh
version=%s
python=$version/bin/python3 lacks=
"$python" -I -S -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
    lacks="its Python, $(readlink -- "$python" || echo "$python"), is gone or too old"
[ -f "$version/packages/__main__.py" ] || lacks="its packages, $version/packages, are gone"
[ -z "$lacks" ] || {
    name=${version##*/} prefix=${version%%/versions/*} home=HOME
    [ ! -L "$prefix/home" ] || home=$prefix/home
    file=p4warden-${name%%%%-*}.pyz
    printf '%%s\\n' "p4warden: $lacks, so no p4warden command works; triggers judge as before, \
but submits and shelves that a rule is about are allowed (on_error: allow) or refused (deny)." \
        "if users cannot work, as p4d's account let every trigger allow everything:" \
        "  touch $home/off" \
        "mend it with Python 3.10 or later, in the folder that has $file:" \
        "  python3 $file install --prefix $prefix" \
        "after touch, let the triggers judge again:" \
        "  rm $home/off" >&2
    exit 1
}
exec "$python" -I "$version/packages" "$@"
"""
"""It finds the packages whatever the Python: `doctor` runs after an upgrade of the host's.

The folder keeps the name by which it was given, for trigger lines name the one above it.
"""


def install(version: Version, folder: str) -> None:
    """Write a complete version, with compiled packages, into a new or empty folder.

    Raises:
        RefusedError: the folder has files already or no room, or no program can be started in it.
    """
    if os.path.isdir(folder) and os.listdir(folder):
        raise RefusedError(f"{folder} has files already; name a new folder")
    before = os.umask(0o022)
    try:
        unpack(version, version.installed_places(), folder, "choose another folder")
        _compile(folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        os.umask(before)


def _compile(folder: str) -> None:
    if not compileall.compile_dir(folder, quiet=2):
        raise RefusedError(f"{folder} has no room for compiled packages; it was removed")


def unpack(version: Version, places: dict[str, str], folder: str, remedy: str) -> None:
    """Write these folders of the archive into a folder.

    Raises:
        RefusedError: no program can be started in the folder; it ends with this remedy.
    """
    os.makedirs(folder, exist_ok=True)
    _write_version(version, places, folder)
    _refuse_unstartable(folder, remedy)


def _write_version(version: Version, places: dict[str, str], folder: str) -> None:
    for entry in version.archive.infolist():
        place = next((p for p in places if entry.filename.startswith(f"{p}/")), None)
        if place is None:
            continue
        target = places[place] + entry.filename.removeprefix(place)
        with version.archive.open(entry) as source:
            _write(folder, target, source.read(), entry.external_attr >> 16 & 0o777)
    python = base_python()
    os.symlink(python, os.path.join(folder, "bin", "python3"))  # the name that the gate looks for
    _write(folder, "bin/p4warden", (_STARTER % shlex.quote(folder)).encode(), 0o755)
    _write(folder, "pyvenv.cfg", f"home = {os.path.dirname(python)}\n".encode(), 0o644)
    up = os.path.relpath("packages", version.packages)
    _write(folder, f"{version.packages}/packages.pth", f"{up}\n".encode(), 0o644)


def _write(folder: str, name: str, content: bytes, mode: int) -> None:
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
    except OSError as error:
        error.filename = path  # a full disk leaves it out
        raise


def _refuse_unstartable(folder: str, remedy: str) -> None:
    gate = os.path.join(folder, _GATE)
    try:
        subprocess.run([gate, "--version"], capture_output=True, check=False)
    except PermissionError as error:
        raise RefusedError(
            f"no program can be started in {folder}, as if it were mounted with noexec; {remedy}"
        ) from error
