from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from p4warden.core.facts import FILE_NAME as FACTS
from p4warden.health import BAD, GOOD, Check
from p4warden.health.asking_account import rules_that_ask
from p4warden.health.home_folder import make_room
from p4warden.health.lost_program import put_back
from p4warden.health.steps import step
from p4warden.history import ways_back
from p4warden.home import (
    active_policy,
    baseline_file,
    off_mark,
    server_account,
    trusted_files,
    usable,
)
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
    is_given_policies = _receives_the_table(place)
    missing = [
        *_room(place.home),
        *missing_parts(place.home, place.gate_problem, is_given_policies=is_given_policies),
    ]
    policy = active_policy.policy_if_any(place.home)
    if not missing and policy:
        yield Check(_NAME, GOOD, ready_line(place.home, policy))
        return
    remedy = "\n".join(dict.fromkeys(remedy for _, remedy in missing))
    line = f"no: {', '.join(part for part, _ in missing)}"
    yield Check(_NAME, BAD, line, None if place.unjudged else remedy)


def ready_line(home: str, policy: Policy) -> str:
    """Return what a host is ready for, and which rules cannot judge all their events there.

    Raises:
        GateError: the policy was not activated by this release, and the gate cannot be asked.
    """
    line = ready_for(instances.installed(home), policy.digest)
    rules = [] if server_account.asked_ns(home) else rules_that_ask(policy)
    if not rules:
        return line
    return (
        f"{line}; without an account (p4warden refresh) submits, shelves and new depots are not "
        f"judged here by {', '.join(rules)}"
    )


def _room(home: str) -> Iterator[tuple[str, str]]:
    is_there = os.path.isdir(home)  # noqa: PTH112 - homes are texts
    if is_there and (unwritable := usable.unwritable(home)):
        yield unwritable, make_room(home)


def missing_parts(
    home: str, gate_problem: str, *, is_given_policies: bool
) -> list[tuple[str, str]]:
    """Return what this host lacks to run p4warden's lines: each part with its remedy.

    `gate_problem` says why the gate does not start, or is empty; `is_given_policies` is of a
    server that follows the policy of the one that owns the table.
    """
    option = f"--home {shlex.quote(home)}"
    policy = active_policy.policy_if_any(home)
    parts = []
    if gate_problem:
        parts.append((gate_problem, put_back()))
    follow = step("take what the server with the table shares", f"p4warden follow FOLDER {option}")
    is_new = is_given_policies and not ways_back.was_active(home)
    if policy is None:
        remedy = follow if is_new else step("activate a policy", ways_back.policy(home))
        parts.append(("no policy", remedy))
    if not trusted_files.has(home, FACTS):
        remedy = follow if is_new else step("get the facts", ways_back.facts(home))
        parts.append(("no facts", remedy))
    if rules := lacks_baseline(home, policy) if policy else []:
        remedy = f"p4warden census --write-baseline {option}"
        line = f"no baseline, which rule {', '.join(rules)} needs"
        parts.append((line, step("write the baseline", remedy)))
    return parts


def _receives_the_table(place: CheckedInstallation) -> bool:
    return place.p4 is not None and receives_the_table(place.p4)


def lacks_baseline(home: str, policy: Policy) -> list[str]:
    """Return the rules of the policy that need the baseline of this server, if there is none."""
    if trusted_files.has(home, baseline_file.FILE_NAME):
        return []
    return [rule.name for rule in policy.rules if rule.baseline and rule.mode != "off"]
