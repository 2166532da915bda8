"""The intended differences in findings about views and paths, by name.

Each explains one finding: it gets the event, the finding by Python's engine and by the gate, and
the settings of the rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.core.visible import visible_text
from p4warden.forms.depot_path import first_wildcard, split_flag, split_words

if TYPE_CHECKING:
    from collections.abc import Callable

    Answer = dict[str, Any]

_LINES = frozenset({"fix", "more"})
_MOST_PROPOSALS = 6
_MOST_CHARACTERS = 160


def _depots_in_turn(event: Answer, old: Answer, new: Answer, settings: Answer) -> bool:  # noqa: ARG001
    """Where several depots match, the gate proposes one line for each, and no whole depot."""
    words = split_words(old["item"]) if old["item"] else ["//..."]
    is_all = any(map(_is_of_every_depot, words))
    return is_all and _changed(old, new) <= {*_LINES, "problem"} and _is_alike(old, new)


def _room(event: Answer, old: Answer, new: Answer, settings: Answer) -> bool:  # noqa: ARG001
    """The gate proposes nothing that would exceed a limit, and nothing else in its place."""
    limits = {"max_lines", "max_embedded", "max_share"} & {*settings}
    return bool(limits) and _changed(old, new) <= _LINES


def _held_back(event: Answer, old: Answer, new: Answer, settings: Answer) -> bool:  # noqa: ARG001
    """The gate looks for directories in use only for a refusal, not for a tolerated finding."""
    return old["verdict"] == "observe" and _changed(old, new) <= _LINES


def _placeholder_left(event: Answer, old: Answer, new: Answer, settings: Answer) -> bool:  # noqa: ARG001
    """For a line with a placeholder Python proposes that line again, or calls it mapped."""
    is_one = old["problem"].startswith("still contains the placeholder")
    return is_one and _changed(old, new) <= {*_LINES, "problem"}


def _flag_kept(event: Answer, old: Answer, new: Answer, settings: Answer) -> bool:  # noqa: ARG001
    """Python loses the flag of a branch's line, if its right side is wide, and of a label's."""
    flag = split_flag(split_words(old["item"])[0])[0] if old["item"] else ""
    return bool(flag) and new["fix"] == [_flagged(flag, line) for line in old["fix"]]


def _beginning_within(event: Answer, old: Answer, new: Answer, settings: Answer) -> bool:  # noqa: ARG001
    """A directory of the index narrows any line of the view, as a directory in use does."""
    is_counted = "max_files" in settings and old["problem"].startswith("covers about")
    return is_counted and _changed(old, new) <= {"fix"}


def _unmatched_sides(event: Answer, old: Answer, new: Answer, settings: Answer) -> bool:  # noqa: ARG001
    """The gate says nothing of other lines about a line that p4d refuses for its wildcards."""
    return _is_alike(old, new) and not old["fix"] and not new["fix"]


def _is_alike(old: Answer, new: Answer) -> bool:
    remark = "; other lines of the view map all of it already, so remove this line"
    return len({one["problem"].removesuffix(remark) for one in (old, new)}) == 1


def _not_a_client_path(event: Answer, old: Answer, new: Answer, settings: Answer) -> bool:  # noqa: ARG001
    """Nothing is proposed for a line that p4d refuses because a side does not start with //."""
    words = split_words(old["item"])
    sides = [split_flag(word)[1] for word in words]
    return new["fix"] == [] and not all(side.startswith("//") for side in sides)


def _cut(event: Answer, old: Answer, new: Answer, settings: Answer) -> bool:  # noqa: ARG001
    """The gate cuts long names in a problem by bytes, after escaping them."""
    return _changed(old, new) <= {"problem"} and len(old["problem"]) > _MOST_CHARACTERS


NAMED: dict[str, Callable[[Answer, Answer, Answer, Answer], bool]] = {
    "names in a problem are cut by bytes": _cut,
    "one line for each depot": _depots_in_turn,
    "no line without room": _room,
    "directories in use are for refusals": _held_back,
    "a placeholder is not proposed again": _placeholder_left,
    "a line keeps its flag": _flag_kept,
    "directories of the index narrow every line": _beginning_within,
    "sides whose wildcards differ": _unmatched_sides,
    "a side that is no path": _not_a_client_path,
}


def name(event: Answer, old: Answer, new: Answer) -> str | None:
    """Return the name of the first difference if all differing findings have one, else None."""
    rules = {rule.name: rule.settings for rule in event["policy"].rules}
    names, numbers = [], dict.fromkeys(rules, 0)
    if len(old["findings"]) != len(new["findings"]):
        return None
    for one, other in zip(old["findings"], new["findings"], strict=True):
        number = numbers[one["rule"]] = numbers[one["rule"]] + 1
        if one == other:
            continue
        fields = rules[one["rule"]]
        settings = {key: value for key, value in fields.items() if value is not None}
        names.append(_name(event, one, other, settings, number))
    return names[0] if names and all(names) else None


def _name(event: Answer, old: Answer, new: Answer, settings: Answer, number: int) -> str | None:
    if number > _MOST_PROPOSALS and new["fix"] == []:
        return "proposals for six findings"
    unicode = bool((event.get("facts") or {}).get("unicode"))
    shown = old | {"problem": visible_text(old["problem"], unicode=unicode)}
    if shown == new:
        return "names in a problem are escaped as in the refusal"
    explains = NAMED.items()
    return next((name for name, explain in explains if explain(event, shown, new, settings)), None)


def _changed(old: Answer, new: Answer) -> set[str]:
    return {key for key, value in old.items() if value != new[key]}


def _flagged(flag: str, line: str) -> str:
    return f'"{flag}{line[1:]}' if line.startswith('"') else f"{flag}{line}"


def _is_of_every_depot(word: str) -> bool:
    path = split_flag(word)[1]
    wildcard = first_wildcard(path)
    return path.startswith("//") and wildcard is not None and "/" not in path[2 : wildcard[0]]
