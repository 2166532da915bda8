"""What the one file does with its command line: unpack, install, or run p4warden and clean up."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import zipfile
import zlib

from launcher import processes
from launcher.host import RefusedError, Version, base_python
from launcher.unpacking import unpack


def run(file: str, arguments: list[str]) -> int:
    """Run the file's command line; return the exit code. Problems are printed as one line."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _frame: sys.exit(128 + received))
    try:
        with zipfile.ZipFile(file) as archive:
            return _run(Version(archive), os.path.abspath(file), arguments)
    except RefusedError as error:
        return _refuse(str(error), 2)
    except (zipfile.BadZipFile, zlib.error, EOFError):
        return _refuse(f"{file} is damaged; download it again", 1)
    except OSError as error:
        return _refuse(f"{error.filename or file}: {error.strerror}", 1)
    except KeyboardInterrupt:
        return 130


def _refuse(problem: str, code: int) -> int:
    sys.stderr.write(f"p4warden: {problem}\n")
    return code


def _run(version: Version, file: str, arguments: list[str]) -> int:
    match arguments:
        case ["unpack", folder] if not folder.startswith("-"):
            unpack(version, version.installed_places(), os.path.abspath(folder))
            return 0
        case ["unpack", *_]:
            raise RefusedError("unpack needs one folder: unpack DIR")
    folder = os.path.realpath(tempfile.mkdtemp(prefix="p4warden-file-"))
    try:
        return _run_in(folder, version, file, arguments)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run_in(folder: str, version: Version, file: str, arguments: list[str]) -> int:
    if arguments[:1] == ["install"]:
        script = os.path.join(folder, "install.sh")
        with open(script, "wb") as opened:
            opened.write(version.archive.read("share/deploy/install.sh"))
        options = [f"--python={base_python()}", f"--file={file}"]
        return processes.run(["sh", script, *options, *arguments[1:]])
    version_folder = os.path.join(folder, "version")
    unpack(version, version.temporary_places(), version_folder)
    programs = os.path.join(version_folder, "bin")
    if arguments[:1] == ["demo"]:
        os.environ["PATH"] = os.pathsep.join([programs, os.environ.get("PATH", os.defpath)])
        script = os.path.join(version_folder, "demo", "run.sh")
        return processes.run(["bash", script, *arguments[1:]])
    return processes.run([os.path.join(programs, "python3"), "-I", "-m", "p4warden", *arguments])
