from __future__ import annotations

import datetime
import hashlib
import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.core.plural import amount, listed
from p4warden.health import BAD, GOOD, UNKNOWN, WARNING, Check, declared_answer
from p4warden.health.steps import step
from p4warden.history import states, trail, ways_back
from p4warden.home import active_policy, baseline_file, off_mark, summed_file, trusted_files
from p4warden.policy import compiled, hours, source
from p4warden.policy.check import check_file
from p4warden.policy.problems import UnreadablePolicyError, render
from p4warden.policy.summary import modes
from p4warden.rehearse import known_surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from p4warden.health import CheckedInstallation
    from p4warden.policy.compiled import Policy

NO_CENSUS = (
    "a rule has baseline: true, but there is no census, so every form that it judges gets the "
    "on_error answer; run p4warden census --write-baseline"
)
_YEAR_S = 366 * 86_400
_ZONES_REMEDY = "{}  # writes the present ones"


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Check the running policy, its YAML file, and the baseline file if a rule uses it."""
    try:
        policy = active_policy.policy(place.home)
    except active_policy.UnusableFileError as error:
        yield _missing(place.home, str(error))
        return
    if off_mark.is_uninstalled(place.home):
        line = f"{policy.digest[:12]}, stored but inactive since the uninstall"
        yield Check("policy", GOOD, line)
        return
    line = f"{policy.digest[:12]} active; rules: {modes(policy)}; on_error: {policy.on_error}"
    yield Check("policy", GOOD, line)
    if rules := [rule.name for rule in policy.rules if rule.baseline and rule.mode != "off"]:
        yield from _census(place, policy, rules)
    yield _yaml(place, policy.digest)


def _missing(home: str, problem: str) -> Check:
    if trusted_files.has(home, compiled.FILE_NAME) or ways_back.was_active(home):
        return Check("policy", BAD, problem, ways_back.policy(home))
    remedy = (
        "p4warden init --output policy.yaml drafts one; p4warden check policy.yaml checks it; "
        "p4warden deploy put policy.yaml activates it, refreshes the facts and installs the "
        "triggers"
    )
    return Check("policy", BAD, "no policy yet; p4warden init drafts one", remedy)


def _census(place: CheckedInstallation, policy: Policy, rules: Sequence[str]) -> Iterator[Check]:
    try:
        baseline_file.read(place.home)
    except active_policy.UnusableFileError as error:
        events = f"forms to which {listed(rules)} would object"
        yield from declared_answer.checks(place, policy, events, "there is no usable baseline")
        remedy = shlex.join(["p4warden", "census", "--write-baseline", "--home", place.home])
        yield Check("census", BAD, error.problem, remedy)
        return
    file = Path(place.home, baseline_file.FILE_NAME)
    day = datetime.date.fromtimestamp(file.stat().st_mtime)  # noqa: DTZ012 - as people here count
    yield Check("census", GOOD, f"baseline written on {day}")


def _yaml(place: CheckedInstallation, digest: str) -> Check:
    try:
        path = active_policy.source_path(place.home)
    except trusted_files.HomeError:
        return Check("YAML", UNKNOWN, "the policy's source file is not recorded")
    if not os.path.isfile(path):  # noqa: PTH113 - where pathlib may not look, it raises
        return Check("YAML", UNKNOWN, f"{path}, the policy's source file, is missing")
    if place.gate_problem:
        return _unchecked_yaml(path, digest)
    return _checked_yaml(place, path, digest)


def _checked_yaml(place: CheckedInstallation, path: str, digest: str) -> Check:
    today = datetime.date.today()  # noqa: DTZ011 - exemptions end by the server's local time
    check_result = check_file(path, today)
    remedy = f"p4warden check {path} && p4warden activate {path} --home {place.home}"
    if check_result.policy is None:
        problems = amount(len(check_result.problems), "problem")
        line = f"{path} was edited and has {problems}; the old policy is active"
        return Check("YAML", WARNING, line, remedy)
    if check_result.policy.digest != digest:
        line = f"{path} was edited ({check_result.policy.digest[:12]}); the old policy is active"
        return _rolled_back(place, path) or Check("YAML", WARNING, line, remedy)
    if check_result.warnings:
        line = f"{path} has {amount(len(check_result.warnings), 'warning')}"
        return Check("YAML", WARNING, line, f"p4warden check {path}")
    return Check("YAML", GOOD, f"{path} is the active policy")


def _unchecked_yaml(path: str, digest: str) -> Check:
    try:
        is_active = hashlib.sha256(source.read(path)).hexdigest() == digest
    except UnreadablePolicyError as error:
        return Check("YAML", WARNING, f"{path}: {error}; the old policy is active")
    if is_active:
        return Check("YAML", GOOD, f"{path} is the active policy")
    return Check("YAML", WARNING, f"{path} was edited; the old policy is active")


def _rolled_back(place: CheckedInstallation, path: str) -> Check | None:
    try:
        changes = states.policy_or_table_changes(trail.changes(place.home))
    except trusted_files.HomeError:
        return None
    last = next((one for one in reversed(changes) if one.action != "uninstall"), None)
    if last is None or last.action != "rollback":
        return None
    line = f"{path} is not the active policy since rollback {last.number}"
    remedy = (
        f"p4warden history {last.number} --policy --home {place.home} prints the active policy; "
        f"correct {path} accordingly before the next deploy"
    )
    return Check("YAML", WARNING, line, remedy)


def time_zones(place: CheckedInstallation) -> Iterator[Check]:
    """Check whether the time zones in the running policy change as this machine knows them."""
    try:
        document = json.loads(summed_file.text(trusted_files.read(place.home, compiled.FILE_NAME)))
    except (trusted_files.HomeError, ValueError):
        return
    zones = {zone["name"]: zone for zone in hours.zones_in(document)}
    soon_s = place.now_ns // 10**9 + _YEAR_S
    outdated = [name for name, zone in zones.items() if _is_outdated(zone, soon_s)]
    if outdated:
        line = f"the changes of the clock in the active policy are outdated: {', '.join(outdated)}"
        yield Check(
            "time zones", WARNING, line, _ZONES_REMEDY.format(ways_back.edited_policy(place.home))
        )
    elif zones:
        yield Check("time zones", GOOD, f"{', '.join(zones)} as in the active policy")


def _is_outdated(zone: Mapping[str, Any], soon_s: int) -> bool:
    try:
        return zone["until_s"] < soon_s or zone != hours.zone_document(
            zone["name"], hours.year_of(zone)
        )
    except hours.UnknownZoneError:
        return True


def effects(place: CheckedInstallation) -> Iterator[Check]:
    """Check that each enforced rule of the running policy stops an example event."""
    policy = active_policy.policy_if_any(place.home)
    if policy is None or off_mark.is_uninstalled(place.home) or place.gate_problem:
        return
    around = known_surroundings.surroundings_of_home(place.home)._replace(
        now_s=place.now_ns / 10**9
    )
    doubts = [*known_surroundings.doubts(policy, around)]
    remedy = _corrected(place.home) if doubts else None
    for doubt in doubts:
        line = f"{render(doubt.path)}: {doubt.text}"
        yield Check("rules", WARNING, line, remedy)
    for unknown in known_surroundings.unknown_names(policy, around):
        line = f"{render(unknown.path)}: users and groups unknown"
        yield Check("rules", WARNING, line, f"p4warden refresh --home {place.home}")
    if not doubts:
        number = sum(rule.mode == "enforce" for rule in policy.rules)
        remark = "; each stops a test event" if number else ""
        yield Check("rules", GOOD, f"{amount(number, 'rule')} enforced{remark}")


def _corrected(home: str) -> str:
    file = ways_back.source_file(home) or "POLICY"
    check = shlex.join(["p4warden", "check", file, "--home", home])
    activate = ways_back.edited_policy(home)
    return f"{step('find the line and correct it', check)}\n{step('then', activate)}"
