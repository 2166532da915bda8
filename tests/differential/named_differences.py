"""The intended differences between the two engines, by name.

A function gets the event, its answer by Python's engine and its answer by the gate, and tells
whether the name explains that they differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from differential.random_events import ODD_OPTIONS
from p4warden.core.patterns import fold
from p4warden.core.visible import visible_text

if TYPE_CHECKING:
    from collections.abc import Callable

    Answer = dict[str, Any]

_DERIVED = ("detail", "fix", "text")
_MOST_PROBLEM_CHARACTERS = 300
_LONG_TEXT_BYTES = 1_800


def _keeps_beyond_ascii(event: Answer, old: Answer, new: Answer) -> bool:  # noqa: ARG001
    """Python treats blanks and letters beyond ASCII as p4d does only those of ASCII."""
    return any(option in (event.get("form") or "") for option in ODD_OPTIONS)


def _proposes_no_unshowable_options(event: Answer, old: Answer, new: Answer) -> bool:
    """The gate proposes no line with bytes that are not UTF-8, which nobody could copy."""
    lost = [
        one for one in old["findings"] if one["place"] == "Options" and "\\\\x" in str(one["fix"])
    ]
    return (
        bool(lost)
        and "\\udc" in ascii(event["form"])
        and _differs_only(old, new, "Options", ("fix",))
    )


def _takes_the_strictest_limit(event: Answer, old: Answer, new: Answer) -> bool:  # noqa: ARG001
    """Where case does not count, a policy may limit a depot twice; Python takes the last limit."""
    limits = [rule.settings.get("depots", {}) for rule in event["policy"].rules]
    folds = (event.get("facts") or {}).get("case_sensitive") is False
    return folds and any(len({*map(_folded, names)}) < len(names) for names in limits)


def _looks_up_used_directories(event: Answer, old: Answer, new: Answer) -> bool:
    """The gate proposes directories in use also where a rule only observes."""
    pairs = zip(old["findings"], new["findings"], strict=False)
    observed = all(one["verdict"] == "observe" for one, other in pairs if one != other)
    lines, others = ("fix", "more"), ("findings", *_DERIVED)
    return (
        bool((event.get("facts") or {}).get("used"))
        and observed
        and _without(old, *others) == _without(new, *others)
        and (
            [_without(one, *lines) for one in old["findings"]]
            == [_without(one, *lines) for one in new["findings"]]
        )
    )


def _folded(name: str) -> str:
    return fold(name, case_sensitive=False)


def _marks_a_cut(event: Answer, old: Answer, new: Answer) -> bool:  # noqa: ARG001
    """Python cuts the problem in `detail` by characters and without a mark of the cut."""
    return _without(old, "detail") == _without(new, "detail") and any(
        len(one["problem"]) > _MOST_PROBLEM_CHARACTERS for one in new["findings"]
    )


def _asks_for_different_names(event: Answer, old: Answer, new: Answer) -> bool:  # noqa: ARG001
    """Python adds it to lines with SHORT only if their files are in several directories.

    In a text as long as a text may be, other sentences give way to it.
    """
    texts = old["text"] or "", new["text"] or ""
    is_long = max(len(text.encode()) for text in texts) > _LONG_TEXT_BYTES
    kept, others = (_lines_that_stay(text, is_long=is_long) for text in texts)
    return kept == others and _without(old, "text") == _without(new, "text")


def _lines_that_stay(text: str, *, is_long: bool) -> list[str]:
    """Return the lines of a refusal that never give way to others."""
    kept = text.replace("; use different names for files from different directories", "")
    gives_way = ("Also: ", "There are ", "There is ", "  ") if is_long else ()
    return [line for line in kept.splitlines() if not line.startswith(gives_way)]


def _escapes_comments(event: Answer, old: Answer, new: Answer) -> bool:
    """The gate escapes a depot's name in a comment of a proposed view as in a refusal."""
    unicode = bool((event.get("facts") or {}).get("unicode"))
    lines = (old["form"] or "").split("\n")
    shown = [visible_text(line, unicode=unicode) if line[:1] == "#" else line for line in lines]
    return "\n".join(shown) == new["form"] and _without(old, "form") == _without(new, "form")


def _counts_bytes(event: Answer, old: Answer, new: Answer) -> bool:
    """The gate counts map rows by bytes, as p4d joins them.

    Only the rows of wildcards side by side, which p4d refuses, differ.
    """
    rows = "combines too many wildcards in the middle"
    old_problems, new_problems = (
        [one for one in answer["findings"] if not one["problem"].startswith(rows)]
        for answer in (old, new)
    )
    return (
        old_problems == new_problems
        and len(old["findings"]) != len(new["findings"])
        and not event["form"].isascii()
        and any("wildcards side by side" in one["problem"] for one in new_problems)
    )


def _differs_only(old: Answer, new: Answer, place: str, keys: tuple[str, ...]) -> bool:
    """Tell whether answers differ only in these keys of findings, and in derived texts."""

    def rest(answer: Answer) -> Answer:
        findings = [
            _without(one, *keys) if one["place"] == place else one for one in answer["findings"]
        ]
        return _without(answer, *_DERIVED) | {"findings": findings}

    return rest(old) == rest(new)


def _without(answer: Answer, *keys: str) -> Answer:
    return {name: value for name, value in answer.items() if name not in keys}


NAMED: dict[str, Callable[[Answer, Answer, Answer], bool]] = {
    "no line that cannot be copied": _proposes_no_unshowable_options,
    "options are ASCII words": _keeps_beyond_ascii,
    "the strictest limit of a depot": _takes_the_strictest_limit,
    "directories in use for observing rules": _looks_up_used_directories,
    "a cut is marked": _marks_a_cut,
    "several lines have different names": _asks_for_different_names,
    "comments of a view are escaped": _escapes_comments,
    "rows of wildcards side by side are of bytes": _counts_bytes,
}
