from __future__ import annotations

import csv
import io
import re
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from p4warden.prove.experiment_site import USER
from p4warden.prove.experiments.fact_values import of_steps
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
    "blank-first": lambda words: " ".join(("", *words)),
}
"""Models of the text that p4d may make of a command's arguments for `%args%`, by name.

The gate takes a blank before all arguments for an empty word, so ordinary commands are unusual.
"""

ARGS_QUOTED: dict[str, Callable[[Sequence[str]], str]] = {
    "comma": lambda words: ",".join(w.replace("%", "%25").replace(",", "%2C") for w in words),
    "percent": lambda words: ",".join(quote(word, safe="") for word in words),
    "csv": _csv,
}


def _model(
    label: str, option: str, models: Mapping[str, Callable[[Sequence[str]], str]], *steps: Step
) -> str | None:
    """Return the first model that explains the words in every step of `ARGUMENTS`, else `other`.

    None if the trigger never ran.
    """
    found = [_words(step, label) for step in steps]
    if not any(found):
        return None
    for value, join in models.items():
        lines = (f'"{option.format(join(words))}" "--end=1"' for words in ARGUMENTS.values())
        if [[*split_words(line)] for line in lines] == found:
            return value
    return "other"


def _words(step: Step, label: str) -> list[str]:
    words = next((call.words for call in step.calls if call.label == label), ())
    return [word.decode("utf-8", "replace") for word in words]


def _other(step: Step, option: str) -> str | None:
    start = f"--{option}="
    words = _words(step, "prove-others")
    return next((word.removeprefix(start) for word in words if word.startswith(start)), None)


def _groups(step: Step) -> str:
    shapes = {" ".join: "blanks", ",".join: "commas"}
    value = _other(step, "groups")
    for join, shape in shapes.items():
        if value in (join(GROUPS), join(reversed(GROUPS))):
            return shape
    return "direct" if value == GROUPS[0] else "other"


def _command(step: Step) -> str:
    return _other(step, "command") or "absent"


def _unknown(step: Step) -> str:
    words = _words(step, "prove-unknown")
    shapes = {"--unknown=%prove_none%": "left", "--unknown=": "emptied", "--end=1": "removed"}
    is_whole = words[-1:] == ["--end=1"]
    return shapes.get(words[0], "other") if words and is_whole else "other"


_args = partial(_model, "prove-args", "--args={} ", ARGS)
_args_quoted = partial(_model, "prove-quoted", "--quoted={}", ARGS_QUOTED)
VALUES = {
    "args": of_steps(_args, *ARGUMENTS),
    "argsQuoted": of_steps(_args_quoted, *ARGUMENTS),
    "groups": of_steps(_groups, "plain"),
    "command": of_steps(_command, "plain"),
    "unknown": of_steps(_unknown, "plain"),
}
