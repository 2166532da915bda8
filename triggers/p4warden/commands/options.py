"""Command-line options that several p4warden subcommands share."""

from __future__ import annotations

import datetime
import math
import os
import re
import time
from typing import TYPE_CHECKING, TypeVar

import click

from p4warden.core import time_spans
from p4warden.core.errors import P4WardenError, PolicyWrongError
from p4warden.history import ways_back
from p4warden.home import active_policy, trusted_files, usable
from p4warden.policy import shipped
from p4warden.policy.check import check_file
from p4warden.rehearse import known_surroundings
from p4warden.workbench.replay import membership

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from p4warden.core.records import Facts
    from p4warden.policy.check import CheckedPolicy
    from p4warden.policy.compiled import Policy
    from p4warden.workbench.replay.membership import Groups

    Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

Value = TypeVar("Value")


def together(*options: Decorator) -> Decorator:
    """Return a decorator that adds these options to a subcommand, in this order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def parsed_by(parse: Callable[[str], Value]) -> Callable[[str], Value]:
    """Return the type of an option whose values `parse` reads, or refuses by a `ValueError`."""

    def text(value: str) -> Value:  # its name is the placeholder in the help
        try:
            return parse(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error

    return text


class WholeNumber(click.IntRange):
    def _describe_range(self) -> str:
        return _range_in_words(self.min, self.max)


class Number(click.FloatRange):
    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Refuse `nan` as well, which no range leaves out."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number", param, ctx)
        return number

    def _describe_range(self) -> str:
        return _range_in_words(self.min, self.max)


def _range_in_words(least: float | None, most: float | None) -> str:
    """Return a range for help and errors, in place of click's `1<=x<=200`."""
    return f"{least} or more" if most is None else f"{least} to {most:,}"


named_policy = parsed_by(shipped.file_of)
"""Type of an argument or option: the path of a YAML policy, or the name of a shipped one."""

home_option = click.option(
    "--home",
    default=trusted_files.DEFAULT,
    show_default=True,
    envvar="P4WARDEN_HOME",
    show_envvar=True,
    metavar="DIR",
    # Trigger lines contain the home's path, and p4d has another working directory.
    type=os.path.abspath,
    help="The folder of the compiled policy, the facts and the decision log.",
)


policy_option = click.option(
    "--policy",
    metavar="POLICY",
    type=named_policy,
    help="A YAML file, or the name of a shipped policy, to use instead of the running one.",
)


message_option = click.option(
    "-m", "--message", metavar="TEXT", help="The reason, for p4warden history."
)


start_s = parsed_by(lambda text: time_spans.start_s(text, time.time()))
"""Type of an option: the start of a span or day, in seconds since the epoch."""

span_ns = parsed_by(lambda text: time_spans.seconds(text) * 10**9)
"""Type of an option: the length of a span such as `5m`."""


def span_at_most(days: int, for_longer: str) -> Callable[[str], int]:
    """Return the type of an option: the seconds of a span; longer ones are told `for_longer`."""

    def span_s(text: str) -> int:
        seconds = time_spans.seconds(text)
        if seconds > days * 86400:
            raise click.BadParameter(f"{days}d is the maximum; {for_longer}")
        return seconds

    return parsed_by(span_s)


since_option = click.option(
    "--since",
    "since_s",
    metavar="SPAN",
    type=start_s,
    callback=lambda _context, _option, since_s: since_s or 0.0,
    help="Only the last 7d, 12h, ..., or since a day (2027-03-01); default: everything.",
)


MAX_PER_S = 10_000


def _max_per_s(value: str) -> int:
    match = re.fullmatch(r"([1-9][0-9]{0,4})(?:/s)?", value)
    if not match or int(match[1]) > MAX_PER_S:
        raise click.BadParameter(f"{value} is not a number from 1 to 10000")
    return int(match[1])


max_per_second_option = click.option(
    "--max-per-second",
    default="50",
    show_default=True,
    metavar="N",
    type=_max_per_s,
    help="Most commands to send to the server in a second, one after another.",
)


address_options = together(
    click.option("-p", "--port", metavar="PORT", help="The server; default: P4PORT."),
    click.option("-u", "--user", metavar="USER", help="The account; default: P4USER."),
)


installation_options = together(address_options, home_option)

facts_option = click.option(
    "--facts",
    metavar="FILE|none",
    help="Facts of the server, as in facts.json, instead of the home folder's; none: from the "
    "checkpoint, or else the server.",
)


def checked_policy(path: str, home: str | None = None) -> Policy:
    """Return the checked policy of a YAML file; print its warnings on standard error.

    With a home folder, the warnings include those that follow from its data about the server.

    Raises:
        PolicyWrongError: the policy has problems.
    """
    check_result = _checked(path)
    warnings = [*check_result.warnings]
    if check_result.policy is not None and home is not None:
        around = known_surroundings.surroundings_of_home(home)
        warnings += check_result.locate(known_surroundings.doubts(check_result.policy, around))
    for warning in warnings:
        click.echo(warning.line(path, "warning: "), err=True)
    return _valid(check_result, path)


def planned_policy(path: str) -> Policy:
    """Return the checked policy of a YAML file, whose warnings its plan has printed.

    Raises:
        PolicyWrongError: the policy has problems.
    """
    return _valid(_checked(path), path)


def _checked(path: str) -> CheckedPolicy:
    # Exemptions end by the server's local time.
    return check_file(path, datetime.date.today())  # noqa: DTZ011


def _valid(check_result: CheckedPolicy, path: str) -> Policy:
    if check_result.policy is None:
        raise PolicyWrongError("\n".join(problem.line(path) for problem in check_result.problems))
    return check_result.policy


def refuse_other_folder(home: str) -> None:
    """Check that the home folder named on the command line exists.

    Raises:
        P4WardenError: there is no such folder.
    """
    if os.path.isdir(home):  # noqa: PTH112 - where pathlib may not look, it raises
        return
    problem = "is not a folder" if os.path.exists(home) else "does not exist"  # noqa: PTH110
    raise P4WardenError(f"{home} {problem}; set the home folder with --home")


def refuse_journals_alone(journals: Sequence[str], checkpoints: Sequence[str]) -> None:
    """Check that journals named on the command line come with a checkpoint.

    Raises:
        click.UsageError: there are journals but no checkpoint.
    """
    if journals and not checkpoints:
        raise click.UsageError(
            "journals can be read only after their checkpoint; specify it with --checkpoint FILE"
        )


def chosen_groups(file: str | None, checkpoint: str | None) -> Groups | None:
    """Return the groups of the file or of the checkpoint; None without either.

    Raises:
        click.UsageError: both were given.
        MembershipError: the groups cannot be read.
    """
    if file and checkpoint:
        raise click.UsageError(
            "--groups and --checkpoint both define the groups; omit one of them"
        )
    if checkpoint:
        return membership.from_checkpoint(checkpoint)
    return membership.from_file(file) if file else None


def running_policy(home: str) -> Policy:
    """Return the running policy of a home folder.

    Raises:
        P4WardenError: no policy runs, or it cannot be read.
    """
    usable.refuse_other_owner(home)
    try:
        return active_policy.policy(home)
    except active_policy.UnusableFileError as error:
        raise P4WardenError(f"{error}; run {ways_back.policy(home)}") from error


def chosen_policy(file: str | None, home: str) -> Policy:
    """Return the policy of a YAML file, or without a file the home folder's running policy.

    Raises:
        P4WardenError: the policy has problems, or no policy runs.
    """
    return checked_policy(file) if file else running_policy(home)


def running_facts(home: str) -> Facts:
    """Return the facts about the server by which the triggers of a home folder judge.

    Raises:
        P4WardenError: there are no facts, or they cannot be read.
    """
    usable.refuse_other_owner(home)
    try:
        return active_policy.known_facts(home)
    except active_policy.UnusableFileError as error:
        raise P4WardenError(f"{error}; run {ways_back.facts(home)}") from error
