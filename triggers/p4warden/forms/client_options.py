"""Apply a policy's demands on Options and other fields of a client form; check these demands.

The words of Options are those of p4 help client, by default `noallwrite noclobber nocompress
unlocked nomodtime normdir`, and since 2023.1 `noaltsync`.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.patterns import any_matches
from p4warden.forms.new_client import is_new, is_saved_first

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from p4warden.core.records import Event, Facts, Form

_SWITCHES = ("allwrite", "clobber", "compress", "modtime", "rmdir", "altsync")
_OFF = {f"no{on}": on for on in _SWITCHES} | {"unlocked": "locked"}
OPPOSITES = _OFF | {on: off for off, on in _OFF.items()}
"""Every word of a client's Options field, with the word of opposite meaning."""

FIELDS = {
    "submit_options": ("SubmitOptions", "submitunchanged"),
    "line_end": ("LineEnd", "local"),
    "type": ("Type", "writeable"),
}
"""One-word fields of a client form that a policy may demand, by the policy's setting:
the field's name, and the value that p4d assumes if the field is absent.
"""


class Wish(NamedTuple):
    """Options and field values that a policy demands of some clients.

    Attributes:
        groups: patterns; at least one must match one of the user's groups. None for all users.
        hosts: patterns for the form's Host field, which its user writes; None for all.
        ips: patterns for the address that the command comes from; None for all.
        options: the demanded words of the Options field.
        submit_options: the demanded value of SubmitOptions; None for any.
        line_end: the demanded value of LineEnd; None for any.
        type: the demanded value of Type; None for any.
    """

    groups: tuple[str, ...] | None = None
    hosts: tuple[str, ...] | None = None
    ips: tuple[str, ...] | None = None
    options: tuple[str, ...] = ()
    submit_options: str | None = None
    line_end: str | None = None
    type: str | None = None

    def is_about(self, event: Event, facts: Facts) -> bool:
        """Tell whether demanded options apply to an event's client: all their conditions match."""
        host = event.form.value("host") if event.form else None
        conditions = ((self.groups, event.groups), (self.hosts, (host,)), (self.ips, (event.ip,)))
        return all(
            patterns is None or any_matches(patterns, names, case_sensitive=facts.case_sensitive)
            for patterns, names in conditions
        )

    def applied(self, fields: Mapping[str, str]) -> dict[str, str]:
        """Return the fields of a client form, changed to the demanded values."""
        values = {"Options": with_all(fields["Options"], self.options)}
        for name, (field, _) in FIELDS.items():
            value = getattr(self, name)
            values[field] = fields[field] if value is None else value
        return values


def wished(entries: Iterable[Mapping[str, Any]], event: Event, facts: Facts) -> dict[str, str]:
    """Return the fields of a client's form that must change, each with its new value.

    All entries of the policy that apply to the client count; where two contradict each other, the
    later entry wins. Type is left out for an existing client.
    """
    if event.form is None:
        return {}
    fields = _fields(event.form)
    result = fields
    for entry in entries:
        wish = _wish(entry)
        if wish.is_about(event, facts):
            result = wish.applied(result)
    changes = {field: value for field, value in result.items() if value != fields[field]}
    # p4d never changes the Type of an existing client.
    if "Type" in changes and not _is_new(event, event.form, facts):
        del changes["Type"]
    return changes


def _is_new(event: Event, form: Form, facts: Facts) -> bool:
    return is_saved_first(form, facts) if event.event == "form-save" else is_new(form)


def _wish(entry: Mapping[str, Any]) -> Wish:
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    return Wish(**fields)


def with_all(options: str, words: Iterable[str]) -> str:
    """Return the value of an Options field, changed so that it contains all demanded words.

    A word replaces its opposite. Without an opposite there, a missing word is appended unless it
    is p4d's default.
    """
    present = options.split()
    for word in words:
        opposite = OPPOSITES[word]
        if word not in present and (opposite in present or word not in _OFF):
            present.insert(present.index(opposite) if opposite in present else len(present), word)
        present = [other for other in present if other != opposite]
    return " ".join(present)


def words(options: str) -> list[str]:
    """Split the value of an Options field into words in lower case, as p4d compares them."""
    return options.lower().replace('"', " ").split()


def _fields(form: Form) -> dict[str, str]:
    field_values = {
        field: form.value(field.lower()) or default for field, default in FIELDS.values()
    }
    options = " ".join(words(form.value("options") or ""))
    return {field: value.lower() for field, value in {"Options": options, **field_values}.items()}
