from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError, os_errors_as
from p4warden.prove.experiment_site import OTHER, SUPER, USER, ExperimentSite
from p4warden.prove.processes import run, running, tries

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

# Below the range from which Linux assigns ports (net.ipv4.ip_local_port_range).
_PORTS = range(16_384, 32_768)
_CARRIED = '"#\n\r'


class TimeLimits(NamedTuple):
    """The default limits add up to less than three minutes."""

    version_s: float = 10
    start_s: float = 30
    all_s: float = 130
    end_s: float = 5


PATIENCE = TimeLimits()


class ServerError(P4WardenError):
    """Experiments with the given p4d program are not possible; the text says why."""

    exit_code = 2


def program_path(program: str) -> str:
    """Return the absolute path of a p4d program given by its path, or found on PATH."""
    return os.path.abspath(shutil.which(program) or program)  # noqa: PTH100 - links are kept


@contextlib.contextmanager
def throw_away(program: str) -> Iterator[ExperimentSite]:
    """Yield a temporary folder, port and passwords; `program` is the path of its p4d.

    Raises: ServerError: the folder's path cannot be part of a trigger line.
    """
    folder = Path(tempfile.mkdtemp(prefix="p4warden-prove-"))
    try:
        if any(character in str(folder) for character in _CARRIED):
            raise ServerError(
                f'{folder}: a trigger line cannot contain a path with ", # or a line break; set '
                "TMPDIR to another folder"
            )
        # Strong enough for any security level of p4d.
        passwords = {user: f"Aa1!{secrets.token_urlsafe(12)}" for user in (SUPER, USER, OTHER)}
        place = ExperimentSite(folder, free_port(), passwords, program)
        place.make_folders()
        yield place
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def version_of(place: ExperimentSite, limit_s: float) -> bytes:
    """Return the output of `p4d -V`; ServerError if the program hangs or is no p4d."""
    program = place.program
    with os_errors_as(ServerError, f"{program}: cannot be started"):
        result = run([program, "-V"], place.environment(), b"", limit_s, str(place.root))
    if result.code is None:
        raise ServerError(
            f"{program} -V does not end within {limit_s:g} s; specify p4d with --p4d"
        )
    if result.code != 0 or b"P4D/" not in result.output:
        raise ServerError(f"{program} -V prints no P4D release; specify p4d with --p4d")
    return result.output


@contextlib.contextmanager
def listening(
    place: ExperimentSite, patience: TimeLimits, *options: str, has_own_session: bool = True
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a p4d, listening, during a `with` block; ServerError if it does not listen in time.

    Without a session of its own it is killed with the session of this process at the latest.
    """
    where = ["-r", str(place.root), "-p", place.port, "-L", str(place.log)]
    command = [place.program, *where, "-J", str(place.journal), "-q", "-vtrack=1", *options]
    with running(
        command,
        place.environment(),
        str(place.root),
        patience.end_s,
        has_own_session=has_own_session,
    ) as process:
        _wait(process, place.port, patience.start_s)
        yield process


def _wait(process: subprocess.Popen[bytes], port: str, limit_s: float) -> None:
    for _ in tries(limit_s):
        if process.poll() is not None:
            raise ServerError(f"p4d ended with {process.returncode} before it listened")
        if _answers(port):
            return
    raise ServerError(f"p4d does not listen on its port within {limit_s:g} s")


def free_port() -> str:
    """Return a free loopback port for p4d, outside the range that the system assigns."""
    while True:
        with contextlib.suppress(OSError):
            port = secrets.choice(_PORTS)
            socket.create_server(("127.0.0.1", port)).close()
            return f"127.0.0.1:{port}"


def _answers(port: str) -> bool:
    host, _, number = port.partition(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(number)), timeout=1):
        return True
    return False
