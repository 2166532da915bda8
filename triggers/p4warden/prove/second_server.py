from __future__ import annotations

import contextlib
import subprocess
from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import SUPER, USER, ExperimentSite
from p4warden.prove.server import PATIENCE, free_port, start_command, wait

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.prove.lab import Lab

_START_S = 15.0
_SANDBOX = "p4d of the sandbox: option"


class UnsupportedError(RuntimeError):
    """The program that is proved lacks an option of p4d; the text says which."""


@contextlib.contextmanager
def second_server(
    lab: Lab, name: str, *options: str, setup: tuple[str, ...] = (), charset: str = ""
) -> Iterator[Lab]:
    """Yield a lab on another p4d, with a super user and an ordinary user logged in.

    `options` are further ones of p4d, such as `-C1`; `setup` those that set up the root first,
    such as `-xi`; `charset` is that of clients of a server in unicode mode.

    Raises: RuntimeError: the server is not set up, or a user cannot be made. ServerError: it does
    not start.
    """
    site = lab.place
    place = ExperimentSite(site.folder / name, free_port(), site.passwords, site.program)
    place.make_folders()
    if setup:
        run_p4d(place, *setup, *options)
    with running_server(place, *options):
        other = lab.at(place, charset)
        add_users(other)
        yield other


def run_p4d(place: ExperimentSite, *options: str) -> bytes:
    """Run p4d once on a root, not as a server; return its output.

    Raises: UnsupportedError: the program is the sandbox, which does not have these options.
    RuntimeError: it failed.
    """
    process = subprocess.run(
        [place.program, "-r", str(place.root), "-J", str(place.journal), *options],
        env=place.environment(),
        cwd=place.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_START_S,
        check=False,
    )
    if process.returncode:
        text = process.stdout.decode("utf-8", "replace").strip()
        kind = UnsupportedError if _SANDBOX in text else RuntimeError
        raise kind(f"p4d {options[0]} failed: {text:.200}")
    return process.stdout


@contextlib.contextmanager
def running_server(place: ExperimentSite, *options: str) -> Iterator[None]:
    """Run a p4d in the session of this process, with which it is killed at the latest."""
    with subprocess.Popen(
        start_command(place.program, place, *options),
        env=place.environment(),
        cwd=place.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            wait(process, place.port, _START_S)
            yield
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE.end_s)
            process.kill()


def add_users(lab: Lab) -> None:
    """Make users of a new p4d and log them in; raise RuntimeError if p4d refuses."""
    first, password = lab.connect(SUPER), lab.place.passwords[SUPER]
    # A server that is secure by default takes no command before the first password is set; one of
    # an older release sets no password for a user that does not exist.
    for command, answer in (
        (("user", "-i", "-f"), user_form(SUPER)),
        (("password",), [password, password]),
    ):
        first.input = answer
        first.run(*command)
    lab.must("login", command_input=password, p4=first)
    lab.must("protect", "-i", command_input=protections())
    lab.must("user", "-i", "-f", command_input=user_form(USER))
    password = lab.place.passwords[USER]
    lab.must("passwd", USER, command_input=[password, password])
    lab.must("user", "-i", "-f", command_input=user_form(USER))
    lab.must("login", command_input=password, p4=lab.connect(USER))


def protections() -> str:
    """Return the form of a protections table with one super user."""
    return f"Protections:\n\twrite user * * //...\n\tsuper user {SUPER} * //...\n"


def user_form(user: str) -> str:
    """Return the form of a user."""
    return f"User:\t{user}\nEmail:\t{user}@example.com\nFullName:\t{user}\n"
