"""Isolate every test from the current user's Perforce settings; imported before P4Python.

Temporary files are in memory where that is possible, because a test that deploys waits for a disk
(fsync) most of the time.
"""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 - the folders in it are pytest's own
_ENOUGH_BYTES = 4 << 30


def _use_memory() -> None:
    if "TMPDIR" in os.environ or not os.access(_MEMORY, os.W_OK | os.X_OK):
        return
    can_execute = not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
    if can_execute and shutil.disk_usage(_MEMORY).free >= _ENOUGH_BYTES:
        tempfile.tempdir = str(_MEMORY)


_use_memory()
_FOLDER = Path(tempfile.mkdtemp(prefix="p4warden-tests-"))
# Other accounts, as which tests of root start commands, may pass; a killed command leaves files.
_FOLDER.chmod(0o711)
os.environ["TMPDIR"] = str(_FOLDER)
_FILES = ("P4ENVIRO", "P4TICKETS", "P4TRUST")
_P4 = ("P4CLIENT", "P4CONFIG", "P4HOST", "P4LANGUAGE", "P4PASSWD", "P4PORT", "P4USER")
_UNSET = (*_P4, "P4WARDEN_HOME")


def _isolate() -> None:
    for name in _FILES:
        os.environ[name] = str(_FOLDER / name.lower())
    for name in _UNSET:
        os.environ.pop(name, None)
    # Proposed commands call `p4warden` as on a host that has it on PATH.
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    # An empty P4WARDEN_SYSLOG keeps p4warden's messages in tests out of the machine's syslog.
    os.environ["P4WARDEN_SYSLOG"] = ""
    # Without P4CHARSET, P4Python asks each new port for its character set and stores the reply in
    # the user's settings.
    os.environ["P4CHARSET"] = "none"
    # P4EDITOR: p4 commands that edit a form fail instead of waiting in an editor.
    os.environ["P4EDITOR"] = "false"


_isolate()
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
