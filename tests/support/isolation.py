"""Isolate every test from the current user's Perforce settings; imported before P4Python."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_FOLDER = Path(tempfile.mkdtemp(prefix="p4warden-tests-"))
_FILES = ("P4ENVIRO", "P4TICKETS", "P4TRUST")
_P4 = ("P4CLIENT", "P4CONFIG", "P4HOST", "P4LANGUAGE", "P4PASSWD", "P4PORT", "P4USER")
_UNSET = (*_P4, "P4WARDEN_HOME")


def _isolate() -> None:
    for name in _FILES:
        os.environ[name] = str(_FOLDER / name.lower())
    for name in _UNSET:
        os.environ.pop(name, None)
    # An empty P4WARDEN_SYSLOG keeps p4warden's messages in tests out of the machine's syslog.
    os.environ["P4WARDEN_SYSLOG"] = ""
    # Without P4CHARSET, P4Python asks each new port for its character set and stores the reply in
    # the user's settings.
    os.environ["P4CHARSET"] = "none"
    # P4EDITOR: p4 commands that edit a form fail instead of waiting in an editor.
    os.environ["P4EDITOR"] = "false"


_isolate()
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
