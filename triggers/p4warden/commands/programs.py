from __future__ import annotations

from typing import TYPE_CHECKING

import click

from p4warden.commands.options import checked_policy, named_policy
from p4warden.core.plural import amount
from p4warden.policy.judged import judging_by
from p4warden.programs.known_programs import REFUSED, TOO_LONG, exemption_entries, known_programs
from p4warden.rehearse.program_answers import program_answers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.programs.known_programs import Answer, Program

_SHOWN = {"observe": "observed", "delay": "delayed", "refuse": "REFUSED", TOO_LONG: "TOO LONG"}


@click.command()
@click.argument("policy", type=named_policy)
def programs(policy: str) -> int:
    """Show what POLICY answers to Swarm, Jenkins, Unreal, Unity and other known programs.

    Each request that it would stop is shown with the rule, and an exemption to copy. TOO LONG: p4d
    refuses a command of over 128 KiB if a rule needs its arguments. docs/programs.md
    has the answers of the shipped policies.

    Exit code: 1 if the policy refuses a request, else 0.
    """
    judged_by = checked_policy(policy)
    with judging_by(judged_by) as judge:
        found = [(p, program_answers(judged_by, p, judge)) for p in known_programs()]
    for program, answers in found:
        _show(program, answers)
    number = sum(a.verdict in REFUSED for _, answers in found for a in answers.values())
    requests = amount(sum(len(p.requests) for p, _ in found), "request")
    click.echo(f"{amount(len(found), 'program')}, {requests}: {number} refused")
    return 1 if number else 0


def _show(program: Program, answers: Mapping[str, Answer]) -> None:
    stopped = {title: answer for title, answer in answers.items() if answer.verdict in _SHOWN}
    if not stopped:
        return
    click.echo(program.name)
    for title, answer in stopped.items():
        rule = f" {answer.rule}" if answer.rule else ""
        click.echo(f"  {_SHOWN[answer.verdict]}{rule}: {title}")
    entries = [*exemption_entries(program, answers)]
    if entries:
        click.echo("  to allow it, in exemptions:")
    for entry in entries:
        click.echo(f"    - {entry}")
    click.echo()
