from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import OTHER, SUPER, USER
from p4warden.prove.processes import output_of
from p4warden.prove.server import TimeLimits, free_port, listening

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.prove.experiment_site import ExperimentSite
    from p4warden.prove.lab import Lab

PATIENCE = TimeLimits(start_s=15)
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
    place = lab.place._replace(folder=lab.place.folder / name, port=free_port())
    place.make_folders()
    if setup:
        run_p4d(place, *setup, *options)
    with listening(place, PATIENCE, *options, has_own_session=False):
        other = lab.at(place, charset)
        add_users(other)
        yield other


def run_p4d(place: ExperimentSite, *options: str) -> None:
    """Run p4d once on a root, not as a server.

    Raises: UnsupportedError: the program is the sandbox, which does not have these options.
    RuntimeError: it failed.
    """
    command = [place.program, "-r", str(place.root), "-J", str(place.journal), *options]
    process = output_of(command, place.environment(), PATIENCE.start_s, place.root)
    if process.returncode:
        text = process.stdout.decode("utf-8", "replace").strip()
        kind = UnsupportedError if _SANDBOX in text else RuntimeError
        raise kind(f"p4d {options[0]} failed: {text:.200}")


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
    make_user(lab, USER)


def make_user(lab: Lab, user: str) -> None:
    """Unless it is `OTHER`, log the user in; raise RuntimeError if p4d refuses."""
    password = lab.place.passwords[user]
    lab.must("user", "-i", "-f", command_input=user_form(user))
    lab.must("passwd", user, command_input=[password, password])
    lab.must("user", "-i", "-f", command_input=user_form(user))
    if user != OTHER:
        lab.must("login", command_input=password, p4=lab.connect(user))


def protections() -> str:
    """Return the form of a protections table with one super user."""
    return f"Protections:\n\twrite user * * //...\n\tsuper user {SUPER} * //...\n"


def user_form(user: str) -> str:
    """Return the form of a user."""
    return f"User:\t{user}\nEmail:\t{user}@example.com\nFullName:\t{user}\n"
