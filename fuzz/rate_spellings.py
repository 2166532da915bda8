"""Fuzz the spellings of a question: no spelling gains a command over repeating the plain one.

A user at one address asks some questions again and again. In one stream each is spelled plainly;
in the other it is padded, reordered, and spelled from other directories. At no time may more
commands of the second stream be admitted than of the first.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from campaign import Campaign, CampaignResult, finding

from gate.program import PROGRAM, policy, rate, rule

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

LENGTH = 200
NAMES = ("main", "Src", "a.c", "b#c", "x@y", "r*", "100%", "é", "..c", "-m", "a")
BLANK_NAMES = (*NAMES, "my file", "a b c")
DEPOT_PATHS = ("//depot/main/...", "//depot/main/a.c", "//depot/rel/*.h", "//ws/main/b.c")
REVISIONS = ("", "", "#head", "#3", "@12", "@rel1", "@1969/11/24", "@12,@99", "@12,#head", "@=12")
# Other spellings of some of these. The events are of the first day of 1970.
SPELLINGS = {
    "@12,@99": ("@12,99", "@012,@99", "@>=12,@<=99", "@>11,@<100"),
    "@12,#head": ("@12,now", "@12,@now", "@>=12", "@>11", "@12,@2099/01/01"),
    "@=12": ("@12,12", "@>=12,@<13"),
    "@1969/11/24": ("@1969/11/24:00:00:00", "@1969/11/24 00:00:00"),
    "#head": ("", "@now", "#1,#head", "@1,@now", "@2099/01/01:10:00:00"),
}
# Other spellings of the options below.
OPTIONS = {
    "-ssubmitted": ("-s submitted", "--status=submitted", "--status submitted"),
    "-u ann": ("-uann", "--user=ann", "--user ann"),
    "-a": ("--all",),
    "-c 12": ("-c12", "--change=12", "--change 12"),
    "-C ws": ("-Cws", "--client=ws", "--client ws"),
    "-e 12": ("-e12",),
    "-F x=1": ("-Fx=1", "--filter=x=1"),
    "-Rc": ("-C", "--restrict-flags=c", "--restrict-flags c"),
}
# Of each command: the options that select something, and those of output and limits, in which {}
# stands for a number that grows.
COMMANDS = {
    "changes": (["-ssubmitted", "-u ann", "-i"], ["-m {}", "--max {}", "-l", "-L", "-t", "-r"]),
    "filelog": (["-h", "-i", "-c 12"], ["-m {}", "-l", "-L", "-t", "-s"]),
    "files": (["-a", "-e", "-i"], ["-m {}", "-m{}", "--max={}", "-q"]),
    "fstat": (["-Rc", "-U", "-e 12", "-F x=1"], ["-m {}", "-T f{},g", "-Ol", "-Sd", "-r"]),
    "opened": (["-a", "-c 12", "-C ws"], ["-m{}", "-s"]),
    "print": (["-a"], ["-q", "-o out{}", "-m {}", "--offset={}", "--size {}"]),
}


class Question(NamedTuple):
    command: str
    options: list[str]
    depot: list[str]
    root: str  # of Unix, or a drive or share of Windows
    directory: list[str]  # names below `root` in which the user works
    files: list[tuple[list[str], str]]  # names below `root`, and a revision
    has_blanks: bool

    @property
    def separator(self) -> str:
        return "/" if self.root.startswith("/") else "\\"


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Judge streams of plain and of other spellings of the same questions; yield results."""
    while True:
        command = random.choice(sorted(COMMANDS))
        questions = [_question(random, command) for _ in range(random.randint(1, 3))]
        asked = [random.choice(questions) for _ in range(LENGTH)]
        plain = [_plainly(question) for question in asked]
        other = [_otherwise(random, question, number) for number, question in enumerate(asked)]
        limit = rate("user", "args", allow=f"1 per {random.randint(1, 20)}s", burst=5)
        problems = _gains(rule(limit, commands=[command]), plain, other)
        yield CampaignResult(LENGTH, tuple(problems))


def _question(random: random.Random, command: str) -> Question:
    has_blanks = random.random() < 0.3
    names = BLANK_NAMES if has_blanks else NAMES
    directory = random.choices(names, k=random.randint(0, 3))
    files = [
        ([*directory, *random.choices(names, k=random.randint(1, 3))], random.choice(REVISIONS))
        for _ in range(random.randint(0, 2))
    ]
    paths = random.sample(DEPOT_PATHS, random.randint(0 if files else 1, 3))
    return Question(
        command=command,
        options=[option for option in COMMANDS[command][0] if random.random() < 0.3],
        depot=[path + random.choice(REVISIONS) for path in paths],
        root=random.choice(("/home/ann", "C:\\ws", "\\\\nas\\ws")),
        directory=directory,
        files=files,
        has_blanks=has_blanks,
    )


def _plainly(question: Question) -> dict[str, Any]:
    files = [_path(question, names) + revision for names, revision in question.files]
    return _event(question, [*question.options, *question.depot, *files], question.directory)


def _otherwise(random: random.Random, question: Question, number: int) -> dict[str, Any]:
    """Return an event of the same question: padded, reordered, perhaps in another directory.

    The words of a name with blanks are taken for several names, so the directory must stay.
    """
    padding = COMMANDS[question.command][1]
    chosen = [option.format(number) for option in padding if random.random() < 0.4]
    asking = [random.choice((option, *OPTIONS.get(option, ()))) for option in question.options]
    options = random.sample([*asking, *chosen], len(asking) + len(chosen))
    directory = question.directory
    if not question.has_blanks:
        directory = random.choices(NAMES, k=random.randint(0, 3))
    repeated = random.choices(question.files, k=2) if question.files else []
    files = [
        _respelled(random, question, names, directory) + revision
        for names, revision in [*question.files, *repeated]
    ]
    words = [*question.depot, *files]
    words += random.sample(question.depot, random.randint(0, len(question.depot)))
    words = [_respelled_revision(random, word) for word in random.sample(words, len(words))]
    return _event(question, [*options, *words], directory)


def _respelled_revision(random: random.Random, word: str) -> str:
    start = min((at for at in map(word.find, "#@") if at >= 0), default=len(word))
    others = SPELLINGS.get(word[start:], ())
    return word[:start] + random.choice((word[start:], *others))


def _event(question: Question, words: list[str], directory: list[str]) -> dict[str, Any]:
    event = {"event": "command", "command": question.command, "user": "ann", "ip": "10.0.0.1"}
    cwd = question.separator.join([question.root, *directory])
    return event | {"client": "ws", "args": " ".join(words).split(" "), "clientcwd": cwd}


def _path(question: Question, names: list[str]) -> str:
    return question.separator.join([question.root, *map(_encoded, names)])


def _encoded(name: str) -> str:
    for character, code in (("%", "%25"), ("@", "%40"), ("#", "%23"), ("*", "%2A")):
        name = name.replace(character, code)
    return name


def _respelled(
    random: random.Random, question: Question, names: list[str], directory: list[str]
) -> str:
    """Spell a local path in another way: relative, with `.` and `..`, and on Windows with `/`."""
    if random.random() < 0.3:
        return _path(question, names)
    shared = 0
    while shared < min(len(names), len(directory)) and names[shared] == directory[shared]:
        shared += 1
    relative = [".."] * (len(directory) - shared) + [_encoded(name) for name in names[shared:]]
    fronts = [["."], ["x", ".."], [".", ""]]
    if relative and not relative[0].startswith("-"):
        fronts.append([])
    front = random.choice(fronts)
    separator = random.choice(("/", question.separator))
    return separator.join([*front, *relative])


def _gains(
    settings: dict[str, Any], plain: list[dict[str, Any]], other: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    counts = [accumulate(_admissions(settings, events)) for events in (plain, other)]
    for number, (usual, gained) in enumerate(zip(*counts, strict=True)):
        if gained > usual:
            yield finding("a command gained", plain=plain[number], other=other[number])
            return


def _admissions(settings: dict[str, Any], events: list[dict[str, Any]]) -> list[bool]:
    timed = (event | {"time": 1000 + number / 8} for number, event in enumerate(events))
    text = "".join(f"{json.dumps(event)}\n" for event in timed).encode()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "policy.json")
        source.write_text(json.dumps(policy(settings)))
        command = [str(PROGRAM), "judge", "--policy", str(source)]
        done = subprocess.run(command, input=text, capture_output=True, check=True)
    return [json.loads(line)["verdict"] == "allow" for line in done.stdout.splitlines()]


CAMPAIGN = Campaign("rate-spellings", "events", runs, 2_000_000)
