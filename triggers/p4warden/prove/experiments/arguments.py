from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from p4warden.prove.experiment_site import USER
from p4warden.prove.trigger_words import split_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "plain": ("//depot/prove/x", "//depot/prove/y"),
    "blank": ("//depot/prove/a b", "//depot/prove/c"),
    "quote": ('//depot/prove/a"b', '//depot/prove/c "d"'),
    "empty": ("//depot/prove/x", "", "//depot/prove/y"),
    "comma": ("//depot/prove/a,b", "//depot/prove/(c)"),
}
"""By the step's name."""

GROUPS = ("prove-inner", "prove-outer")
_BLANK = re.compile(r"[ \t\n\v\f\r]")
_EVENT = ("command", "pre-user-files$")


def run(lab: Lab) -> None:
    """Record words; the user is in a subgroup of a group, to find out the value of `%groups%`."""
    inner, outer = GROUPS
    lab.must("group", "-i", command_input=f"Group:\t{inner}\nUsers:\n\t{USER}\n")
    lab.must("group", "-i", command_input=f"Group:\t{outer}\nSubgroups:\n\t{inner}\n")
    lab.install(
        lab.line("prove-args", *_EVENT, "--args=%args% ", "--end=1"),
        lab.line("prove-quoted", *_EVENT, "--quoted=%argsQuoted%", "--end=1"),
        lab.line("prove-others", *_EVENT, "--groups=%groups%", "--command=%command%"),
        lab.line("prove-unknown", *_EVENT, "--unknown=%prove_none%", "--end=1"),
    )
    p4 = lab.connect()
    for name, words in ARGUMENTS.items():
        lab.step(name, p4, "files", *words)


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive facts about p4d's trigger variables."""
    return {
        "arguments.args": _model(steps, "prove-args", "--args={} ", ARGS),
        "arguments.argsQuoted": _model(steps, "prove-quoted", "--quoted={}", ARGS_QUOTED),
        "arguments.groups": _groups(steps.get("plain")),
        "arguments.command": _command(steps.get("plain")),
        "arguments.unknown": _unknown(steps.get("plain")),
    }


def _in_quotes(word: str) -> str:
    return f'"{word}"' if not word or _BLANK.search(word) else word


def _csv(words: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(words)
    return text.getvalue()


ARGS: dict[str, Callable[[Sequence[str]], str]] = {
    "plain": " ".join,
    "quoted": lambda words: " ".join(map(_in_quotes, words)),
    "doubled": lambda words: " ".join(_in_quotes(word.replace('"', '""')) for word in words),
}
"""Models of the text that p4d may make of a command's arguments for `%args%`, by name."""

ARGS_QUOTED: dict[str, Callable[[Sequence[str]], str]] = {
    "comma": lambda words: ",".join(w.replace("%", "%25").replace(",", "%2C") for w in words),
    "percent": lambda words: ",".join(quote(word, safe="") for word in words),
    "csv": _csv,
}


def _model(
    steps: Mapping[str, Step],
    label: str,
    option: str,
    models: Mapping[str, Callable[[Sequence[str]], str]],
) -> str | None:
    """Return the first model that explains the words in every step, else `other`.

    None if a step is missing or the trigger never ran.
    """
    words_of = {name: _words(steps[name], label) for name in ARGUMENTS if name in steps}
    if len(words_of) < len(ARGUMENTS) or not any(words_of.values()):
        return None
    for value, join in models.items():
        lines = {name: f'"{option.format(join(ARGUMENTS[name]))}" "--end=1"' for name in words_of}
        if all(list(split_words(lines[name])) == words for name, words in words_of.items()):
            return value
    return "other"


def _words(step: Step, label: str) -> list[str]:
    words = next((call.words for call in step.calls if call.label == label), ())
    return [word.decode("utf-8", "replace") for word in words]


def _value(step: Step, label: str, option: str) -> str | None:
    call = next((call for call in step.calls if call.label == label), None)
    value = call.value(option) if call else None
    return None if value is None else value.decode("utf-8", "replace")


def _groups(step: Step | None) -> str | None:
    if step is None:
        return None
    shapes = {" ".join: "blanks", ",".join: "commas"}
    value = _value(step, "prove-others", "groups")
    for join, shape in shapes.items():
        if value in (join(GROUPS), join(reversed(GROUPS))):
            return shape
    return "direct" if value == GROUPS[0] else "other"


def _command(step: Step | None) -> str | None:
    return (_value(step, "prove-others", "command") or "absent") if step else None


def _unknown(step: Step | None) -> str | None:
    if step is None:
        return None
    words = _words(step, "prove-unknown")
    shapes = {"--unknown=%prove_none%": "left", "--unknown=": "emptied", "--end=1": "removed"}
    is_whole = words[-1:] == ["--end=1"]
    return shapes.get(words[0], "other") if words and is_whole else "other"
