from __future__ import annotations

import contextlib
import os
import re
import shlex
import time
from typing import TYPE_CHECKING, Any

import click

from p4warden.commands.options import (
    address_options,
    home_option,
    refuse_other_folder,
    span_at_most,
)
from p4warden.core.errors import P4WardenError
from p4warden.core.printable import CUT, printable
from p4warden.history.local_time import minute_text
from p4warden.history.person import present_person
from p4warden.history.record import record
from p4warden.history.undone import alone_or_undone
from p4warden.home import active_policy, allowances, locks, own_program, usable
from p4warden.home.allowances import SUBJECT_FIELDS, Allowance
from p4warden.home.decision_log import WholeDecisionLog
from p4warden.server.connection import Address
from p4warden.server.security_level import are_names_proven

if TYPE_CHECKING:
    from collections.abc import Iterator


_ID = re.compile("(?:id=)?([0-9a-z]{8})")


def _plain_id(text: str) -> str:
    """Return an id as it is in the decision log."""
    if match := _ID.fullmatch(text.lower()):
        return match[1]
    raise click.BadParameter(
        f"{text} is no id of a refusal: the last line that the user reads ends with it, such as "
        "id=7k2m9xq4"
    )


@click.command()
@click.argument("refusal_id", metavar="[ID]", required=False, type=_plain_id)
@click.option(
    "--for",
    "span_s",
    metavar="SPAN",
    type=span_at_most(30, "for longer write an exemption"),
    help="2h, 1d, ..., 30d at most.",
)
@click.option("--reason", metavar="TEXT", help="The reason, for p4warden history and report.")
@click.option("--end", "ended_id", metavar="ID", type=_plain_id, help="End an allowance now.")
@home_option
@address_options
def allow(  # noqa: PLR0913 - one for each option
    refusal_id: str | None,
    span_s: int | None,
    reason: str | None,
    ended_id: str | None,
    *,
    home: str,
    port: str | None,
    user: str | None,
) -> None:
    """Let a user do for a while what a rule refused; without ID list the present allowances.

    ID is in the last line of the refusal (id=...) and in the decision log. The allowance is for
    this user, this spec or command, this rule and this server: an exemption that ends by itself.
    It holds for the whole spec or command, with any content or arguments, not only for those that
    were refused; with ID alone it is described, and not given.
    Below security level 3 names can be forged, so it is also for this address alone, and so it is
    if the server does not tell its level.
    """
    refuse_other_folder(home)
    if ended_id:
        _end(home, ended_id)
    elif not refusal_id:
        _show(home)
    else:
        refused = _refusal(home, refusal_id)
        one = _allowance(refused, int(time.time()) + (span_s or 0), reason or "")
        if not span_s or not reason:
            raise click.UsageError(
                f"to allow {printable(one.words())}, write "
                f"{_command(home, refusal_id, '--for', '1d', '--reason', 'TEXT')}"
            )
        if not are_names_proven(Address(port, user)):
            one = _from_address(one, refused)
        _grant(home, one)


def _show(home: str) -> None:
    usable.refuse_other_owner(home)
    present = allowances.in_force(home, time.time())
    if not present:
        click.echo("No allowances.")
    for one in sorted(present, key=lambda one: one.until_s):
        text = f"{one.words()} ({one.reason}; by {one.by})"
        click.echo(f"{one.id}  until {minute_text(one.until_s)}  {printable(text)}")


def _refusal(home: str, refusal_id: str) -> dict[str, Any]:
    """Return the last record of a refusal.

    Raises:
        P4WardenError: the log has none, several refusals have the same id, or it is of a command
            that was ended.
    """
    usable.refuse_unusable(home)
    log = WholeDecisionLog(home)
    records = [one for one in log.records() if one.get("id") == refusal_id]
    if not records:
        raise P4WardenError(
            f"{home}: the decision log has no refusal {refusal_id}; of several refusals of a user "
            "within 10 seconds it has only the first, so let the user try once more"
        )
    if records[-1]["event"] == "running":
        raise P4WardenError(
            f"{refusal_id} is of a command that p4warden running ended, and no allowance keeps "
            "commands from that; write an exemption into the policy"
        )
    names = ("user", "ip", "rule", *SUBJECT_FIELDS)
    if len({tuple(one.get(name) for name in names) for one in records}) > 1:
        raise P4WardenError(f"{home}: different refusals in the decision log have {refusal_id}")
    return records[-1]


def _allowance(refused: dict[str, Any], until_s: int, reason: str) -> Allowance:
    subject = {name: refused[name] for name in SUBJECT_FIELDS if name in refused}
    names = [refused["user"], *subject.values()]
    if any(name.endswith(CUT) for name in names):
        raise P4WardenError("a name of this refusal is too long for an allowance")
    by = present_person(os.environ).names()
    rule = refused["rule"]
    return Allowance(refused["id"], until_s, refused["user"], None, subject, rule, reason, by)


def _from_address(one: Allowance, refused: dict[str, Any]) -> Allowance:
    if not refused.get("ip"):
        raise P4WardenError("the decision log has no address of this refusal")
    return one._replace(ip=refused["ip"])


def _grant(home: str, one: Allowance) -> None:
    running = active_policy.policy_if_any(home)
    if running and one.rule not in {rule.name for rule in running.rules}:
        raise P4WardenError(f"{home}: the running policy has no rule {one.rule}")
    with _others(home, one.id) as others:
        allowances.replace(home, [*others, one])
        note = f"{one.id}: {one.words()}"
        record(home, "allow", message=one.reason, until_s=one.until_s, note=note)
    click.echo(f"Allowed until {minute_text(one.until_s)}: {printable(one.words())}.")
    click.echo(f"To end it before: {_command(home, '--end', one.id)}")


def _command(home: str, *words: str) -> str:
    return shlex.join([*own_program.words(), "allow", *words, "--home", home])


def _end(home: str, ended_id: str) -> None:
    usable.refuse_unusable(home)
    one = next((one for one in allowances.read(home) if one.id == ended_id), None)
    if one is None:
        raise P4WardenError(f"{home} has no allowance {ended_id}; p4warden allow lists them")
    with _others(home, ended_id) as others:
        allowances.replace(home, others)
        record(home, "end allowance", note=f"{one.id}: {one.words()}")
    click.echo(f"Ended: {printable(one.words())}.")


@contextlib.contextmanager
def _others(home: str, changed_id: str) -> Iterator[list[Allowance]]:
    """Yield all other allowances that have not ended, for a change that a failure undoes."""
    with alone_or_undone(home, (allowances.FILE_NAME,), locks.DEPLOY_WAIT_S):
        present = allowances.in_force(home, time.time())
        yield [one for one in present if one.id != changed_id]
