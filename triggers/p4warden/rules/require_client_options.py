"""Refuse clients without the options that a site demands.

An absent field stands for p4d's default, and a demand is compared with the meaning of the form.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.records import Event, Facts, Finding
from p4warden.forms import client_options
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

# Values of Type that p4d accepts only with the configurable client.readonly.dir (P4 Server
# Administrator Guide).
_NEED_A_DIRECTORY = ("readonly", "partitioned")


class Settings(NamedTuple):
    """Settings of the policy rule `require_client_options`.

    Attributes:
        demands: each with the demanded `options`, `submit_options`, `line_end` or `type`, and the
            clients it applies to, by `groups`, `hosts`, `ips`.
    """

    demands: tuple[Mapping[str, Any], ...]


def events(settings: Settings) -> tuple[tuple[str, str], ...]:  # noqa: ARG001
    """Return the trigger event that a rule on client options judges: saving a client form."""
    return (("form-save", "client"),)


def find(settings: Settings, event: Event, facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each client field that violates a demand of the rule on client options.

    Each finding has the demanded value; if demands contradict each other, the last one wins.
    """
    for field, value in client_options.wished(settings.demands, event, facts).items():
        client_value = (event.form and event.form.value(field.lower())) or ""
        problem = f"must be {value}" if field != "Options" else _lacking(client_value, value)
        if value in _NEED_A_DIRECTORY:
            problem += (
                "; if the server rejects it, ask the contact below to set client.readonly.dir"
            )
        yield Finding(client_value, field, problem, None, None, (f"{field}: {value}",))


def _lacking(client_value: str, demand: str) -> str:
    """Return the text of a finding about Options: the missing words, else the words to remove.

    All are demanded words or opposites of such words, so the text is safe to display.
    """
    old, new = client_options.words(client_value), demand.split()
    missing_words = [word for word in new if word not in old]
    wrong_words = [word for word in dict.fromkeys(old) if word not in new]
    problem = f"must include {', '.join(missing_words)}" if missing_words else ""
    return problem or f"must not include {', '.join(wrong_words)}"


RULE = Rule(
    "a client lacks options that the policy requires",
    Settings,
    events,
    find=find,
    noted_events=(("form-save", "client"),),
    fix_heading="Write in the form:",
)
