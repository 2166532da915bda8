from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.asking.gate_program import output
from p4warden.home import trusted_files
from p4warden.policy import compiled

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy


def replace(home: str, policy: Policy) -> None:
    """Write the policy for the triggers, and create the home folder if it is missing.

    The gate reads it first, so that a policy it refuses changes nothing.

    Raises:
        P4WardenError: the home folder cannot be used, or the gate refuses the policy.
    """
    content = refuse_unreadable(policy)
    trusted_files.make(home)
    trusted_files.replace(home, compiled.FILE_NAME, content)


def refuse_unreadable(policy: Policy) -> bytes:
    """Return the content of the policy's file; raise `GateError` if the gate refuses it."""
    content = compiled.dumps(policy).encode()
    output("check", text=content)
    return content
