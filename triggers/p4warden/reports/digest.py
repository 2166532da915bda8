"""One day's refusals and delays in a few lines, for a chat or a mail."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any

from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.reports.figures import STOPPED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.reports.figures import Figures
    from p4warden.reports.subjects import Subject

MOST_USERS = 5
_WORDS = {"refuse": "refused", "delay": "delayed"}
# Users choose names; in chats these characters notify people or hide the target of a link.
_MARKUP = str.maketrans("<>&@[]`", "???????")


def text(figures: Figures, day: str, server: str) -> str:
    """Return a line for the day, one for each rule that stopped somebody, and one for faults."""
    stopped = _stopped(figures)
    total: Counter[str] = Counter()
    for one in stopped:
        total.update(_verdicts(one))
    users = len({one.user for one in stopped})
    head = f"p4warden at {_name(server)}, {day}: "
    head += f"{_counted(total)} ({amount(users, 'user')})" if stopped else "nobody was stopped"
    faults = sum(group.times for group in figures.faults)
    lines = [head, *map(_rule_line, *_by_rule(stopped))] if stopped else [head]
    if faults:
        lines.append(f"{amount(faults, 'fault')} of p4warden itself: p4warden report has them")
    return "\n".join(lines) + "\n"


def document(figures: Figures, day: str, server: str) -> dict[str, Any]:
    """Return the digest for programs; `text` is what a chat's webhook takes.

    Shape: `{"text", "day", "server", "stopped": [{"rule", "user", "verdicts": {"refuse": N},
    "what": {"form-save client": N}, "spec_or_client": {"ann-ws": N}}], "faults": N}`.
    """
    stopped = [
        {
            "rule": one.rule,
            "user": one.user,
            "verdicts": dict(_verdicts(one)),
            **{name: dict(one.values[name]) for name in ("what", "spec_or_client")},
        }
        for one in _stopped(figures)
    ]
    faults = sum(group.times for group in figures.faults)
    head = {"text": text(figures, day, server), "day": day, "server": server}
    return {**head, "stopped": stopped, "faults": faults}


def _stopped(figures: Figures) -> list[Subject]:
    return [one for one in figures.subjects if _verdicts(one)]


def _verdicts(one: Subject) -> Counter[str]:
    return Counter({name: n for name, n in one.verdicts.items() if name in STOPPED})


def _by_rule(stopped: list[Subject]) -> tuple[list[str], list[list[Subject]]]:
    groups = itertools.groupby(stopped, key=lambda one: one.rule)
    pairs = [(rule, [*subjects]) for rule, subjects in groups]
    return [rule for rule, _ in pairs], [subjects for _, subjects in pairs]


def _rule_line(rule: str, subjects: list[Subject]) -> str:
    total: Counter[str] = Counter()
    for one in subjects:
        total.update(_verdicts(one))
    ranking = sorted(subjects, key=lambda one: (-_verdicts(one).total(), one.user))
    users = [*map(_user, ranking[:MOST_USERS])]
    if len(ranking) > MOST_USERS:
        users.append(f"{len(ranking) - MOST_USERS:,} more")
    return f"{_name(rule)}: {_counted(total)}: {', '.join(users)}"


def _user(one: Subject) -> str:
    count = _verdicts(one).total()
    places = one.values["spec_or_client"]
    what = next(iter(sorted(one.values["what"], key=lambda name: -one.values["what"][name])), "")
    place = max(places, key=lambda name: places[name], default="")
    about = " ".join(filter(None, (what.removeprefix("form-save "), place)))
    return f"{_name(one.user)} {count:,}" + (f" ({_name(about)})" if about else "")


def _counted(total: Mapping[str, int]) -> str:
    return ", ".join(f"{total[name]:,} {word}" for name, word in _WORDS.items() if total.get(name))


def _name(text: str) -> str:
    return cut(text).translate(_MARKUP)
