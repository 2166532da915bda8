"""The triggers table of a server: its form read and written whole, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden import gate
from p4warden.errors import P4WardenError
from p4warden.table import Plan, entries, merge
from p4warden.trigger_lines import Installation, wanted

if TYPE_CHECKING:
    import P4

    from p4warden.policy.compiled import Policy


def read_form(p4: P4.P4) -> str:
    """Return the text of `p4 triggers -o`.

    Raises:
        P4WardenError: it holds bytes that are no UTF-8. P4Python writes text only, so the table
            could not be written back as it is.
    """
    content = b"".join(p4.run("triggers", "-o", tagged=False, encoding="raw"))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise P4WardenError(
            f"line {line} of p4 triggers -o holds bytes that are no UTF-8, which could not be "
            "written back as they are; write that line in ASCII first"
        ) from error


def write_form(p4: P4.P4, form: str) -> None:
    """Write the table with `p4 triggers -i`, and read it back.

    Raises:
        P4WardenError: what the server has now is not what was written.
    """
    p4.input = form
    p4.run("triggers", "-i")
    if entries(read_form(p4)) != entries(form):
        raise P4WardenError(
            "the triggers table is not what was written; did someone else write it at the same "
            "moment? Look at p4 triggers -o, then run p4warden deploy plan again"
        )


def plan_for(p4: P4.P4, policy: Policy, home: str) -> tuple[Installation, Plan]:
    """Return how p4warden stands on this host, and the table that the policy needs then."""
    place = Installation(gate.form_program(), gate.find(), home, _triggers_io(p4))
    return place, merge(read_form(p4), wanted(policy, place))


def _triggers_io(p4: P4.P4) -> bool:
    """Tell whether the server hands dictionaries to its triggers (`triggers.io=1`)."""
    shown = p4.run("configure", "show", "triggers.io")
    return any(row.get("Value") == "1" for row in shown if isinstance(row, dict))
