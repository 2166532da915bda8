"""Propose suitable options in the forms of new clients.

Only the form of a new client is changed, and only the fields that the policy sets; the user may
change them back.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.records import Event, Facts, Suggestion
from p4warden.forms import client_options, form_editor
from p4warden.forms.form_parser import parse
from p4warden.forms.new_client import is_new
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Settings(NamedTuple):
    """Settings of the policy rule `suggest_client_options`.

    Attributes:
        wishes: each with proposed `options`, `submit_options`, `line_end` or `type`, and the
            clients it applies to, by `groups`, `hosts`, `ips`.
    """

    wishes: tuple[Mapping[str, Any], ...]


def events(settings: Settings) -> tuple[tuple[str, str], ...]:  # noqa: ARG001
    """Return the trigger event of a rule that suggests client options: showing a client form."""
    return (("form-out", "client"),)


def suggest(settings: Settings, event: Event, facts: Facts) -> Suggestion | None:
    """Return a new client's form with the options that the policy proposes.

    None to leave the form unchanged.
    """
    if event.form is None or not is_new(event.form):
        return None
    form = event.form
    values = client_options.wished(settings.wishes, event, facts)
    for field, value in values.items():
        text = form_editor.with_value(form, field, value)
        form = form if text is None else parse(text)
    if form.text == event.form.text:
        return None
    lines = tuple(f"{field}: {value}" for field, value in values.items())
    return Suggestion(form.text, "could have better options", lines)


RULE = Rule(
    "a new client's form could have better options",
    Settings,
    events,
    suggest=suggest,
)
