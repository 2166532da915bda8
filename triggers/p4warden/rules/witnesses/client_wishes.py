"""Example clients with options opposite to those that a site demands or proposes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.forms.client_options import FIELDS, OPPOSITES
from p4warden.rules.witnesses.draft import CLIENT, DEEP, Draft, depots, form_event, instance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from p4warden.core.records import Facts

_OTHERS = {
    "submit_options": ("submitunchanged", "leaveunchanged"),
    "line_end": ("local", "unix"),
    "type": ("writeable", "readonly"),
}


def drafts(wishes: Iterable[Mapping[str, Any]], event: str, facts: Facts) -> Iterator[Draft]:
    """Yield an example client with opposite options for each entry of a rule on client options."""
    for wish in wishes:
        draft_event = form_event(event, "client", _form(wish, depots(facts)[0]))
        if wish.get("ips"):
            draft_event["ip"] = instance(wish["ips"][0])
        groups = tuple(map(instance, (wish.get("groups") or ())[:1]))
        words = [*wish.get("options", ()), *(wish[name] for name in FIELDS if wish.get(name))]
        yield Draft(f"a new client without {', '.join(words)}", draft_event, groups=groups)


def _form(wish: Mapping[str, Any], depot: str) -> str:
    host = f"Host:\t{instance(wish['hosts'][0])}\n\n" if wish.get("hosts") else ""
    fields = "".join(
        f"{FIELDS[n][0]}:\t{_other_value(n, wish[n])}\n\n" for n in FIELDS if wish.get(n)
    )
    options = " ".join(OPPOSITES[word] for word in wish.get("options", ()))
    fields += f"Options:\t{options}\n\n" if options else ""
    view = f"View:\n\t//{depot}/{DEEP}/... //{CLIENT}/...\n"
    return f"Client:\t{CLIENT}\n\nRoot:\t/nowhere\n\n{host}{fields}{view}"


def _other_value(name: str, demand: str) -> str:
    return next(value for value in _OTHERS[name] if value != demand)
