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
from launcher.unpacking import install, unpack

_OWN_COMMANDS = """
Commands of this file, which runs the others without an installation, except activate, deploy
(but for deploy uninstall), doctor, follow, share, status and units, which are about one:
  demo [PAGE]    Play a refusal on a temporary server, and write its report as a page.
  install        Install p4warden on this host, or upgrade it: install --help.
  unpack DIR     Write what an installation has into a folder.
"""
_ABOUT_AN_INSTALLATION = {
    *("activate", "deploy", "doctor", "follow", "share", "status", "units"),
}
_TMPDIR = "name another folder for temporary files: TMPDIR=DIR python3 ..."


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
    except BrokenPipeError:  # as of `p4warden --help | head`; the rest goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
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
            install(version, os.path.abspath(folder))
            return 0
        case ["unpack", *_]:
            raise RefusedError("unpack needs one folder: unpack DIR")
        case ["demo", page, *more] if more or page.startswith("-"):
            raise RefusedError("demo takes at most one file, for its report: demo [PAGE.html]")
        case [name, *_] if name in _ABOUT_AN_INSTALLATION and not _is_passing(arguments):
            raise RefusedError(
                f"{name} is about programs that stay; run python3 {file} install first, "
                f"and then the installed p4warden {name}"
            )
    folder = os.path.realpath(tempfile.mkdtemp(prefix="p4warden-file-"))
    try:
        return processes.run(_prepared(folder, version, file, arguments))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if arguments in ([], ["-h"], ["--help"]):
            sys.stdout.write(_OWN_COMMANDS)
            sys.stdout.flush()


def _is_passing(arguments: list[str]) -> bool:
    """Tell whether a command names no program in a file that stays."""
    return arguments[:2] == ["deploy", "uninstall"] or not {"-h", "--help"}.isdisjoint(arguments)


def _prepared(folder: str, version: Version, file: str, arguments: list[str]) -> list[str]:
    """Write what a command line needs into a folder; return the command to run."""
    if arguments[:1] == ["install"]:
        script = os.path.join(folder, "install.sh")
        with open(script, "wb") as opened:
            opened.write(version.archive.read("share/deploy/install.sh"))
        return ["sh", script, f"--python={base_python()}", f"--file={file}", *arguments[1:]]
    version_folder = os.path.join(folder, "version")
    unpack(version, version.temporary_places(), version_folder, _TMPDIR)
    programs = os.path.join(version_folder, "bin")
    if arguments[:1] == ["demo"]:
        os.environ["PATH"] = os.pathsep.join([programs, os.environ.get("PATH", os.defpath)])
        return ["bash", os.path.join(version_folder, "demo", "run.sh"), *arguments[1:]]
    os.environ["P4WARDEN_FILE"] = file
    return [os.path.join(programs, "python3"), "-I", "-m", "p4warden", *arguments]
