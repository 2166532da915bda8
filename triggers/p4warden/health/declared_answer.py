"""What users get while p4warden cannot judge some of the events: the policy's `on_error`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from p4warden.health import BAD, Check, trigger_programs
from p4warden.health.steps import step
from p4warden.home import off_mark, usable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation
    from p4warden.policy.compiled import Policy

NAME = "answer"
AN_END = "--for 2h gives it an end"
_ANSWERS = {"deny": "refused", "allow": "allowed unjudged"}


def checks(
    place: CheckedInstallation, policy: Policy, events: str, cause: str, first: str = ""
) -> Iterator[Check]:
    """Yield the result for events, as words in the plural, that get the declared answer.

    `first` is a step that tells whether anything of p4warden can help.
    """
    if place.unjudged:
        return  # that check says what all events get
    is_off = off_mark.is_off(place.home, place.now_ns)
    line = (
        f"{cause}: {until_on(is_off=is_off)}{events} are {_ANSWERS[policy.on_error]} "
        f"(on_error: {policy.on_error}); all else is judged as usual"
    )
    remedy = first or None
    if policy.on_error == "deny" and not is_off:
        let = _let_everybody_work(place.home)
        remedy = f"{first}\nif it answers, {let}" if first else let
    yield Check(NAME, BAD, line, remedy)


def _let_everybody_work(home: str) -> str:
    if usable.is_read_only(home):
        return trigger_programs.way_without_lines(home)
    return step(f"let everybody work until that is mended ({AN_END})", off_command(home))


def until_on(*, is_off: bool) -> str:
    """Return what stands before an effect that `p4warden off` suspends; empty while it is on."""
    return "p4warden is off, so p4d allows everything; once it is on, " if is_off else ""


def off_command(home: str) -> str:
    """Return the command after which everybody can work."""
    return shlex.join(["p4warden", "off", "--home", home])
