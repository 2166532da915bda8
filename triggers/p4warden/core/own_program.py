"""Recognize p4 commands that p4warden's own programs send, by the client program's name.

They are commands such as those of a census or a refresh. Such events, if allowed, are left out of
the decision log and the counts of events.
"""

from __future__ import annotations

NAME = "p4warden"
"""Name of p4warden as a client program, which `server/connection.py` sets."""


def is_own(prog: str | None) -> bool:
    """Tell whether a program's name is p4warden's own (`triggers/gate/src/event/own_program.rs`).

    P4Python appends ` [PY3.11/P4PY...]`. Users choose the names of their programs, so an event
    that a rule objects to counts under this name too.
    """
    return prog is not None and (prog == NAME or prog.startswith(f"{NAME} ["))
