from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from p4warden.asking import gate_program
from p4warden.core.facts import FILE_NAME as FACTS
from p4warden.health import BAD, GOOD, Check
from p4warden.health.trigger_programs import way_back
from p4warden.home import active_policy, baseline_file, off_mark, trusted_files
from p4warden.server.other_servers import ready_for
from p4warden.server.table_form import receives_the_table
from p4warden.table import instances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation
    from p4warden.policy.compiled import Policy

_NAME = "ready"


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield one result, `ready`: whether this host can be named with `deploy apply --ready-on`."""
    if off_mark.is_uninstalled(place.home):
        return
    missing = missing_parts(place.home, is_given_policies=_receives_the_table(place))
    policy = active_policy.policy_if_any(place.home)
    if not missing and policy:
        line = ready_for(instances.installed(place.home), policy.digest)
        yield Check(_NAME, GOOD, line)
        return
    remedy = "; then ".join(remedy for _, remedy in missing)
    yield Check(_NAME, BAD, f"no: {', '.join(part for part, _ in missing)}", remedy)


def missing_parts(home: str, *, is_given_policies: bool) -> list[tuple[str, str]]:
    """Return what this host lacks to run p4warden's lines: each part with its remedy.

    `is_given_policies` is of a server that follows the policy of the one that owns the table.
    """
    option = f"--home {shlex.quote(home)}"
    policy = active_policy.policy_if_any(home)
    parts = []
    if problem := _problem_of_gate():
        parts.append((problem, way_back(gate_program.path())))
    if policy is None:
        remedy = "follow FOLDER" if is_given_policies else "activate POLICY"
        parts.append(("no policy", f"p4warden {remedy} {option}"))
    if not trusted_files.has(home, FACTS):
        parts.append(("no facts", f"p4warden refresh {option}"))
    if policy and lacks_baseline(home, policy):
        remedy = f"p4warden census --write-baseline {option}"
        parts.append(("no baseline, which a rule needs", remedy))
    return parts


def _receives_the_table(place: CheckedInstallation) -> bool:
    return place.p4 is not None and receives_the_table(place.p4)


def lacks_baseline(home: str, policy: Policy) -> bool:
    """Tell whether a rule of the policy needs the baseline of this server, and there is none."""
    needs_one = any(rule.baseline and rule.mode != "off" for rule in policy.rules)
    return needs_one and not trusted_files.has(home, baseline_file.FILE_NAME)


def _problem_of_gate() -> str | None:
    try:
        gate_program.refuse_gone()
    except gate_program.GateGoneError as gone:
        return gone.reason
    return None
