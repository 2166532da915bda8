from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.plural import amount
from p4warden.rehearse.program_answers import long_commands_note
from p4warden.table import trigger_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Policy
    from p4warden.server.table_form import Server
    from p4warden.table.merge import Plan
    from p4warden.table.trigger_lines import Installation

# First p4d release with each feature of a trigger line, and words for a note about older releases
# (Perforce release notes; P4 Command Reference, triggers).
_SINCE = {
    "command": ((2014, 1), "triggers on commands: it would refuse the command trigger line"),
    "%quote%": ((2011, 1), "%quote%, which every p4warden trigger line uses"),
    "%clientprog%": ((2012, 1), "%clientprog%: exemptions by program have no effect there"),
    "%pressureCPU%": ((2023, 1), "%pressureCPU%: the kernel's own files are read in its place"),
}


def notes(policy: Policy, installation: Installation, server: Server, plan: Plan) -> Iterator[str]:
    """Yield the notes of a deployment plan, such as on features that an old server lacks."""
    note = long_commands_note(policy)
    if not installation.triggers_io and note:
        yield f"{note}."
    line_texts = "".join(line.text() for line in trigger_lines.lines_for(policy, installation))
    for feature, (release, lack) in _SINCE.items():
        if server.release and server.release < release and feature in line_texts:
            yield f"{server.version} is older than {release[0]}.{release[1]} and lacks {lack}."
    if installation.triggers_io and plan.foreign:
        yield (
            "triggers.io is 1 on this server: p4d expects every trigger to print a dictionary. "
            "p4warden's triggers do; check that those of other tools do as well: "
            f"{amount(plan.foreign, 'line')}."
        )
