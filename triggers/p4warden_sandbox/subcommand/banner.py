from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden_sandbox import Sandbox

_HEAD = """\
Paste these lines into another shell to use p4 or P4Python there as the server's
super user. Ctrl-C stops the server. Its other users:"""
_WIDTH = 18


def lines(running: Sandbox) -> Iterator[str]:
    """Yield the lines that `p4warden sandbox` prints about using the running sandbox server."""
    settings = running.settings
    is_open = settings.behaves("security", "0")
    free = [user.name for user in settings.users if not user.has_password]
    yield _HEAD
    if free:
        login_note = "no password is needed" if is_open else "a ticket is in P4TICKETS"
        yield from _row(", ".join(free), f"P4USER={free[0]} p4 info; {login_note}")
    for user in settings.users:
        if user.has_password:
            yield from _row(
                user.name,
                f"as the super user p4 login {user.name}, which issues a ticket;",
                f"then P4USER={user.name} p4 info",
            )
    if is_open:
        yield from _row("any other name", "P4USER=NAME p4 info; no password is needed")
    else:
        yield from _row(
            "any other name",
            "as the super user p4 user -f NAME, p4 passwd NAME, p4 login NAME;",
            "then P4USER=NAME p4 passwd if the password has expired, and p4 info",
        )
    yield f"All passwords: {running.passwords_file}"


def _row(names: str, first: str, *more: str) -> Iterator[str]:
    yield f"  {names:<{_WIDTH}}{first}"
    for line in more:
        yield f"  {'':<{_WIDTH}}{line}"
