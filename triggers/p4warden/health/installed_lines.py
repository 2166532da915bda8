from __future__ import annotations

import contextlib
import shlex
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.health import BAD, GOOD, UNKNOWN, WARNING, Check
from p4warden.health.steps import step
from p4warden.history import local_time
from p4warden.home import off_mark
from p4warden.home.active_policy import policy_if_any
from p4warden.home.old_lines import accounts, last_digest
from p4warden.rehearse.program_answers import long_commands_note
from p4warden.server import deployment, printing_lines, table_form
from p4warden.table import instances
from p4warden.table.trigger_lines import passes_arguments
from p4warden.table.triggers_table import entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    import P4

    from p4warden.health import CheckedInstallation
    from p4warden.table.merge import Plan
    from p4warden.table.trigger_lines import Installation

_PAST_S = 86400
_MAX_USERS = 10


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield results of checking the server's triggers table; without a connection, `UNKNOWN`."""
    if place.p4 is None:
        yield Check("triggers table", UNKNOWN, "not read, for the reason at server")
        return
    try:
        yield from _cut_off(place, place.p4)
        yield _against_plan(place, place.p4)
    except P4WardenError as error:
        yield Check("triggers table", UNKNOWN, str(error))


def _against_plan(place: CheckedInstallation, p4: P4.P4) -> Check:
    installation, running = table_form.installation(p4, place.home), policy_if_any(place.home)
    if running is None:
        return Check("triggers table", UNKNOWN, "not compared, for the reason at policy")
    plan = table_form.plan_for(p4, running, installation)
    mark = off_mark.read(place.home)
    if mark and not mark.is_empty and _has_none(plan):
        time_text = local_time.time_text(mark.made_ns / 10**9)
        line = f"uninstalled on {time_text}: no p4warden lines, {_foreign_lines(plan)}"
        return Check("triggers table", GOOD, line)
    if not plan.changes:
        own_lines = f"{amount(plan.kept_count, 'p4warden line')}, as the policy requires"
        if place.unjudged:
            own_lines += f", but they judge nothing, for the reason at {place.unjudged}"
        line = f"{own_lines}; {_foreign_lines(plan)}"
        return Check("triggers table", GOOD, line)
    if _has_none(plan) and table_form.receives_the_table(p4):
        line = f"no p4warden lines yet; they come with the table; {_foreign_lines(plan)}"
        return Check("triggers table", WARNING, line)
    remedy = _deploy(place.home)
    line = _other_setting(plan, installation) or _difference(plan)
    return Check("triggers table", BAD, line, remedy)


def _deploy(home: str) -> str:
    commands = (
        shlex.join(["p4warden", "deploy", name, "--home", home]) for name in ("plan", "apply")
    )
    return step("write the lines that the policy requires", *commands)


def _has_none(plan: Plan) -> bool:
    return not (plan.kept_count or plan.updated or plan.removed)


def _other_setting(plan: Plan, installation: Installation) -> str | None:
    present, written = int(installation.triggers_io), int(not installation.triggers_io)
    rows = installation.owner.rows_in(plan.before)
    if not any(f"--triggers-io={written}%quote%" in row for row in rows):
        return None
    effect = "events are judged as before" if present else "arguments of commands are unknown"
    return f"triggers.io is {present}, and the lines were written for {written}: {effect}"


def _difference(plan: Plan) -> str:
    names = (*plan.added, *plan.updated, *plan.removed)
    if names == plan.added and not plan.kept_count:
        return f"no p4warden lines are installed; the policy requires {len(names)}"
    if len(names) == 1:
        return f"1 line differs from the policy ({names[0]})"
    return f"{len(names)} lines differ from the policy ({names[0]} and {len(names) - 1} more)"


def _foreign_lines(plan: Plan) -> str:
    return f"{amount(plan.foreign, 'line')} of other tools"


def _cut_off(place: CheckedInstallation, p4: P4.P4) -> Iterator[Check]:
    journal = deployment.cut_off(place.home)
    if journal is None:
        return
    rows = entries(table_form.read_form(p4))
    verify, rollback = (
        shlex.join(["p4warden", "deploy", name, "--home", place.home])
        for name in ("verify", "rollback")
    )
    back = step("or go back to the state before", rollback)
    if rows == entries(journal.after):
        line = "a deploy was interrupted after it wrote the new triggers table, before testing it"
        yield Check("deploy", BAD, line, f"{step('test it', verify)}\n{back}")
    elif rows == entries(journal.before):
        line = "a deploy was interrupted before it changed the triggers table"
        yield Check("deploy", BAD, line, _deploy(place.home))
    else:
        line = "a deploy was interrupted, and the triggers table was changed afterwards"
        look = step("look at the table first", "p4 triggers -o")
        yield Check("deploy", BAD, line, f"{look}\n{back}\nor {_deploy(place.home)}")


def printing(place: CheckedInstallation) -> Iterator[Check]:
    """Name the lines of other tools that print on success; nothing if there are none."""
    if place.p4 is None:
        return
    with contextlib.suppress(P4WardenError):  # `checks` reports a table that cannot be read
        form = table_form.read_form(place.p4)
        line_owner = instances.installed(place.home).owner
        for line in printing_lines.found(place.p4, form, line_owner):
            yield Check("other triggers", WARNING, line.words(), printing_lines.REMEDY)


def passed_arguments(place: CheckedInstallation) -> Iterator[Check]:
    """Name the rules that need arguments; nothing if no line in the table passes them."""
    running = policy_if_any(place.home)
    note = long_commands_note(running) if running else None
    if place.p4 is None or note is None or not _are_passed(place.p4, place.home):
        return
    remedy = (
        "if users are refused, set these rules to mode: off, then p4warden activate POLICY and "
        "p4warden deploy plan and apply"
    )
    yield Check("arguments", WARNING, note, remedy)


def _are_passed(p4: P4.P4, home: str) -> bool:
    try:
        rows = instances.installed(home).owner.rows_in(table_form.read_form(p4))
        return any(map(passes_arguments, rows))
    except P4WardenError:
        return False  # `checks` reports a table that cannot be read


def old_lines(place: CheckedInstallation) -> Iterator[Check]:
    """Check, by the gate's records of the last 24 hours, for calls of outdated trigger lines."""
    try:
        last_calls = accounts(place.home, place.now_ns / 10**9 - _PAST_S, _digest_now(place))
    except P4WardenError as error:
        yield Check("old lines", UNKNOWN, str(error))
        return
    if not last_calls:
        yield Check("old lines", GOOD, "nobody used lines that a deploy replaced within a day")
        return
    ranking = sorted(last_calls, key=lambda user: -last_calls[user])
    first = [
        f"{cut(user)} (last {local_time.minute_text(last_calls[user])})"
        for user in ranking[:_MAX_USERS]
    ]
    more = [f"{len(ranking) - _MAX_USERS} more"] if len(ranking) > _MAX_USERS else []
    line = f"{amount(len(last_calls), 'account')} used one within a day: {', '.join(first + more)}"
    remedy = (
        "their connections are older than the table: have these users reconnect, "
        "for example by closing P4V; leave the programs and the home folder in place until then"
    )
    yield Check("old lines", WARNING, line, remedy)


def _digest_now(place: CheckedInstallation) -> str | None:
    if place.p4 is not None:
        with contextlib.suppress(P4WardenError):
            line_owner = instances.installed(place.home).owner
            return deployment.digest_of_table(table_form.read_form(place.p4), line_owner)
    return last_digest(place.home)
