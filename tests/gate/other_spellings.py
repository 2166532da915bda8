"""Commands that are refused whatever their options, and other spellings of them.

None of the options makes a command read less; a value has no blank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import random

    Option = list[str]  # its word, and perhaps its value

VANISHING = ("", " ", '"', '""')
FILES = ("//depot/...", "//...", "//depot/.../a.c", "//depot/main/a.c", "//depot/src/b.c")
WIDE_FILES = FILES[:3]
VALUES = {"m": ("7", "500"), "s": ("x",), "b": ("4096",), "A": ("1",), "B": ("2",), "C": ("3",)}
# Values that look like options or files.
ODD_VALUES = ("-Ro", "-e5", "-m1", "-a", "--explain", "-n", "//x", "-")
LONG = {"m": "max", "T": "attribute", "F": "filter", "u": "user", "b": "blocksize"}


class Command(NamedTuple):
    """The letters of its options: without a value, and with one; and those with a set attached."""

    flags: str = ""
    valued: str = ""
    sets: str = ""
    needed: tuple[str, ...] = ("",)  # options of which it has one
    files: int = 1


COMMANDS = {
    "annotate": Command("ITacdiqtu"),
    "changes": Command("ELfilrt", "ms", needed=("-u ann",)),
    "copy": Command("Ffnqrv", "cm", "Rb Ds", files=2),
    "diff2": Command("Fqtu", sets="du db", files=2),
    "dirs": Command("CDHi", "S"),
    "files": Command("AUaei", "m"),
    "filelog": Command("1Lhilpst", "m"),
    "fixes": Command("i", "m"),
    "fstat": Command("lrs", "TFm", "Ol Op Of Oh Rc Rh Sd St"),
    "grep": Command("FGLailnstv", "ABC", needed=("-e x",)),
    "integrate": Command("Ffnqrv", "cm", "Rb Ds", files=2),
    "integrated": Command("r", "ms"),
    "interchanges": Command("Fflrtu", "s", files=2),
    "labels": Command("RUat", "Eemu"),
    "list": Command("CMd", "l"),
    "merge": Command("Fnq", "cm", "Rb", files=2),
    "opened": Command("s", needed=("-u ann", "-m 500", "-a")),
    "populate": Command("Ffnorv", "dm", files=2),
    "print": Command("AUakq", "Qmo"),
    "sizes": Command("ACHSUahsz", "bm"),
    "tag": Command("Uadgnq", needed=("-l x",)),
}
# Options that stand there again with another value, with which a command would read less.
AGAIN = {
    "changes": ("-m1", "-m 3", "--max=9", "-s pending"),
    "fstat": ("-Ro", "-Roh", "-R o"),
    "opened": ("-m5", "-m 10", "--max 9"),
}
_ABOUT_PATHS = sorted(COMMANDS.keys() - {"opened"})
# Of integrations, labels and jobs an index does not count the records.
_COUNTED = sorted({*_ABOUT_PATHS} - {"fixes", "integrated", "labels"})
RULES: tuple[dict[str, Any], ...] = (
    {"rule": "limit_command_scope", "commands": _ABOUT_PATHS, "min_depth": 1},
    {
        "rule": "limit_scanned_rows",
        "commands": _COUNTED,
        "max_files": 100,
        "max_revisions": 100,
    },
    {
        "rule": "require_command_options",
        "commands": ["opened"],
        "max": 100,
        "forbidden": ["-a"],
    },
)
INDEXED = {"//depot/main": 900, "//depot/src": 900}


def spelled(tries: random.Random, rule: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a command that the rule refuses, and the same in another spelling."""
    name = tries.choice(rule["commands"])
    options, files = _plain(tries, COMMANDS[name])
    words = [word for option in options for word in option] + files
    event = {"event": "command", "command": name, "user": "ann"}
    return event | {"args": words}, event | {"args": _other(tries, name, options, files)}


def _plain(tries: random.Random, command: Command) -> tuple[list[Option], list[str]]:
    options = [[f"-{flag}"] for flag in tries.sample(command.flags, min(2, len(command.flags)))]
    valued = tries.sample(command.valued, min(tries.randrange(3), len(command.valued)))
    options += [[f"-{one}", tries.choice(VALUES.get(one, ("x", "a,b")))] for one in valued]
    options += [[f"-{one}"] for one in command.sets.split() if tries.random() < 0.2]
    options += [needed.split() for needed in [tries.choice(command.needed)] if needed]
    tries.shuffle(options)
    files = [tries.choice(WIDE_FILES)]
    files += [tries.choice(FILES) for _ in range(command.files - 1)]
    tries.shuffle(files)
    return options, files


def _other(tries: random.Random, name: str, plain: list[Option], files: list[str]) -> list[str]:
    options = [[word, *value] for word, *value in plain]
    for option in options:
        if len(option) == 2 and tries.random() < 0.1:
            option[1] = tries.choice(ODD_VALUES)
    options += [[f"-{flag}"] for flag in COMMANDS[name].flags if tries.random() < 0.2]
    given = {option[0][:2] for option in plain}
    again = [one for one in AGAIN.get(name, ()) if one[:2].replace("--", "-m") in given]
    options += [one.split() for one in again if tries.random() < 0.3]
    options += [option for option in plain if tries.random() < 0.1]
    words = _joined(tries, options) + files
    for _ in range(tries.randrange(4)):
        words.insert(tries.randrange(len(words) + 1), tries.choice(VANISHING))
    return words


def _joined(tries: random.Random, options: list[Option]) -> list[str]:
    """Return options with their values apart or joined, and flags joined with what follows."""
    words: list[str] = []
    goes_on = False
    for word, *values in options:
        text = f"{words.pop()}{word[1:]}" if goes_on and word[1] != "-" else word
        goes_on = not values and len(word) == 2 and tries.random() < 0.3
        if values and text[1:] in LONG and tries.random() < 0.2:
            text = f"--{LONG[text[1]]}"
            words += tries.choice(([f"{text}={values[0]}"], [text, *values]))
        elif values and len(word) == 2 and tries.random() < 0.4:
            words.append(f"{text}{values[0]}")
        else:
            words += [text, *values]
    return words
