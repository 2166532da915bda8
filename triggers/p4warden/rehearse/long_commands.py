from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.plural import listed
from p4warden.programs.known_programs import known_programs
from p4warden.rehearse.program_answers import is_too_long
from p4warden.table.trigger_lines import rules_with_arguments

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy
    from p4warden.programs.known_programs import Program

UNLESS = "unless triggers.io is 1, "


def note(policy: Policy, unless: str = "") -> str | None:
    """Return one line that names the policy's rules that need arguments; None without any."""
    names = [policy.rules[index].name for index in rules_with_arguments(policy)]
    if not names:
        return None
    programs = [program.name for program in known_programs() if _is_stopped(policy, program)]
    examples = f"; known to send such: {', '.join(programs)}" if programs else ""
    return (
        f"{listed(names)} {'needs' if len(names) == 1 else 'need'} the arguments of commands: "
        f"{unless}p4d refuses commands with over 128 KiB of them, even in mode observe{examples}"
    )


def _is_stopped(policy: Policy, program: Program) -> bool:
    commands = (request for request in program.requests if request.kind == "commands")
    return any(is_too_long(policy, next(command.events())) for command in commands)
