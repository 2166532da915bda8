"""One day's refusals and delays in a few lines, for a chat or a mail."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.reports import counting
from p4warden.reports.figures import STOPPED, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_USERS = 5
_WORDS = {"refuse": "refused", "delay": "delayed"}
# Users choose names; in chats these characters notify people or hide the target of a link.
_MARKUP = str.maketrans("<>&@[]`", "???????")


class Stops(NamedTuple):
    subjects: Sequence[Subject]  # who were stopped
    faults: int


def gather(lines: Iterable[bytes], span: Sequence[str] = ()) -> Stops:
    """Count lines of the log; `span` are options of `p4warden-log count`."""
    _, document = counting.lists(lines, [*span, "subjects", "faults"])
    subjects = [Subject(**one) for one in document["subjects"]]
    faults = sum(group["times"] for group in document["faults"])
    return Stops([one for one in subjects if _verdicts(one)], faults)


def text(stops: Stops, day: str, server: str) -> str:
    """Return a line for the day, one for each rule that stopped somebody, and one for faults."""
    stopped, faults = stops
    users = len({one.user for one in stopped})
    head = f"p4warden at {_name(server)}, {day}: "
    head += f"{_counted(stopped)} ({amount(users, 'user')})" if stopped else "nobody was stopped"
    by_rule = itertools.groupby(stopped, key=lambda one: one.rule)
    lines = [head, *(_rule_line(rule, [*subjects]) for rule, subjects in by_rule)]
    if faults:
        lines.append(f"{amount(faults, 'fault')} of p4warden itself: p4warden report has them")
    return "\n".join(lines) + "\n"


def document(stops: Stops, day: str, server: str) -> dict[str, Any]:
    """Return it for programs; `text` is what a chat's webhook takes.

    Shape: `{"text", "day", "server", "stopped": [{"rule", "user", "verdicts": {"refuse": N},
    "what": {"form-save client": N}, "spec_or_client": {"ann-ws": N}}], "faults": N}`.
    """
    stopped = [
        {
            "rule": one.rule,
            "user": one.user,
            "verdicts": dict(_verdicts(one)),
            **{name: dict(one.values.get(name, {})) for name in ("what", "spec_or_client")},
        }
        for one in stops.subjects
    ]
    head = {"text": text(stops, day, server), "day": day, "server": server}
    return {**head, "stopped": stopped, "faults": stops.faults}


def _verdicts(one: Subject) -> Counter[str]:
    return Counter({name: n for name, n in one.verdicts.items() if name in STOPPED})


def _rule_line(rule: str, subjects: list[Subject]) -> str:
    ranking = sorted(subjects, key=lambda one: (-_verdicts(one).total(), one.user))
    users = [*map(_user, ranking[:MOST_USERS])]
    if len(ranking) > MOST_USERS:
        users.append(f"{len(ranking) - MOST_USERS:,} more")
    return f"{_name(rule)}: {_counted(subjects)}: {', '.join(users)}"


def _user(one: Subject) -> str:
    count = _verdicts(one).total()
    places, acts = (one.values.get(name, {}) for name in ("spec_or_client", "what"))
    what = next(iter(sorted(acts, key=lambda name: -acts[name])), "")
    place = max(places, key=lambda name: places[name], default="")
    about = " ".join(filter(None, (what.removeprefix("form-save "), place)))
    return f"{_name(one.user)} {count:,}" + (f" ({_name(about)})" if about else "")


def _counted(subjects: Iterable[Subject]) -> str:
    total = sum(map(_verdicts, subjects), Counter[str]())
    return ", ".join(f"{total[name]:,} {word}" for name, word in _WORDS.items() if total[name])


def _name(text: str) -> str:
    return cut(text).translate(_MARKUP)
