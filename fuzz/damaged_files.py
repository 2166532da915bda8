"""Fuzz the files of a home: whatever changes in one, a refusal stands, or a fault is said.

It is said by a line of the decision log or by a counter. With `on_error: deny` nothing is allowed
but what only an index could judge, and what has used a rate before the state is made anew.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from campaign import Campaign, CampaignResult, finding
from deciding_files import EVERY_CASE, Case, Site

from gate.program import Home, policy
from gate.test_files import folder, let_others_write, link, pipe

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

STEP = 20
EACH = 4000
"""Changes of a file in a full campaign, half of them under `on_error: deny`."""

MOST_BYTES = 64
COUNTED = ("faults", "unknown", "recreated")
MAY_PASS = {"state", "checkpoint.index", "saved_forms"}
ANEW = ("state", "decisions.jsonl")
"""What says a fault begins anew, unless it is what changes."""


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Change the file of each case in turn without end."""
    for name, on_error in itertools.cycle(itertools.product(EVERY_CASE, ("allow", "deny"))):
        case = EVERY_CASE[name]
        with tempfile.TemporaryDirectory() as path, contextlib.ExitStack() as stack:
            site = Site(Path(path), on_error, stack)
            site.home.activate(policy(*case.rules, on_error=on_error))
            case.prepare(site)
            site.gets(1, case.ask(site, case.line(site)))
            kept = [Kept.of(file) for file in site.home.folder.iterdir()]
            kept = [one for one in kept if one.file.name == case.file or one.file.name not in ANEW]
            problems = []
            for _ in range(STEP):
                _put_back(site.home.folder, kept)
                change = _damage(site.home.folder / case.file, random)
                problem = _problem(site, case, on_error)
                if problem:
                    known = {"case": name, "on_error": on_error, "change": change}
                    problems.append(finding(problem, **known))
        yield CampaignResult(STEP, tuple(problems))


def _problem(site: Site, case: Case, on_error: str) -> str | None:
    code, text = case.ask(site, case.line(site))
    if code not in (0, 1):
        return f"it ended with {code}: {text}"
    if code == 1:
        is_declared = on_error == "deny" and "has failed" in text
        return None if is_declared or case.refusal in text else f"it said {text}"
    said = _said(site.home)
    if said and (on_error == "allow" or case.file in MAY_PASS):
        return None
    return f"it was allowed; said is {said!r}"


def _said(home: Home) -> str:
    """Return what was said of a fault since the log and the state were put back."""
    with contextlib.suppress(OSError):
        for line in (home.folder / "decisions.jsonl").read_bytes().splitlines():
            with contextlib.suppress(ValueError):
                record = json.loads(line)
                if "fault" in record or "trouble" in record:
                    return str(record)
    counts = home.counts()
    return " ".join(name for name in COUNTED if counts[name])


class Kept(NamedTuple):
    """A file as it was: its parts with data, most of some is a hole."""

    file: Path
    status: os.stat_result
    parts: list[tuple[int, bytes]]

    @staticmethod
    def of(file: Path) -> Kept:
        parts, end = [], 0
        with file.open("rb") as opened, contextlib.suppress(OSError):  # no more data
            while True:
                start = os.lseek(opened.fileno(), end, os.SEEK_DATA)
                end = os.lseek(opened.fileno(), start, os.SEEK_HOLE)
                parts.append((start, os.pread(opened.fileno(), end - start, start)))
        return Kept(file, file.stat(), parts)

    def write(self, content: bytes | None = None) -> None:
        """Write the file anew, with other data if some is given; more or less of it at the end."""
        data = b"".join(part for _, part in self.parts)
        content = data if content is None else content
        with self.file.open("wb") as file:
            at = 0
            for start, part in self.parts:
                file.seek(start)
                file.write(content[at : at + len(part)])
                at += len(part)
            file.write(content[at:])
            file.truncate(self.status.st_size + len(content) - len(data))
        self.file.chmod(self.status.st_mode)
        os.utime(self.file, ns=(self.status.st_atime_ns, self.status.st_mtime_ns))


def _put_back(home: Path, kept: list[Kept]) -> None:
    for file in home.iterdir():
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink()
    for one in kept:
        one.write()


def _damage(file: Path, random: random.Random) -> str:
    """Change a file; return how."""
    kind = random.choice(KINDS)
    if random.random() < KINDS_SHARE and file.name != "off":  # whose kind is what it says
        kind(file)
        return kind.__name__
    kept = Kept.of(file)
    content = b"".join(part for _, part in kept.parts)
    way = random.choice(WAYS)
    at = _place(content, random)
    changed = way(content, at, random.randrange(1, MOST_BYTES))
    kept.write(changed)
    return f"{way.__name__} at {at}: {content[at : at + 16]!r} to {changed[at : at + 16]!r}"


def _place(content: bytes, random: random.Random) -> int:
    """Return a place, mostly where the content is no hole."""
    places = [random.randrange(len(content)) for _ in range(8)] if content else [0]
    return next((place for place in places if content[place : place + 1] != b"\0"), places[0])


def _flip(content: bytes, at: int, length: int) -> bytes:
    flipped = bytes(byte ^ 1 << length % 8 for byte in content[at : at + 1])
    return content[:at] + flipped + content[at + 1 :]


def _cut_out(content: bytes, at: int, length: int) -> bytes:
    return content[:at] + content[at + length :]


def _blank(content: bytes, at: int, length: int) -> bytes:
    return content[:at] + bytes(len(content[at : at + length])) + content[at + length :]


def _repeat(content: bytes, at: int, length: int) -> bytes:
    return content[:at] + content[at : at + length] + content[at:]


def _swap(content: bytes, at: int, length: int) -> bytes:
    """Exchange two parts of one length."""
    one, other = content[at : at + length], content[at + length : at + 2 * length]
    return content[:at] + other + one + content[at + 2 * length :]


WAYS: list[Callable[[bytes, int, int], bytes]] = [_flip, _cut_out, _blank, _repeat, _swap]
KINDS: list[Callable[[Path], None]] = [folder, link, pipe, let_others_write]
KINDS_SHARE = 0.05

CAMPAIGN = Campaign("damaged-files", "changes", runs, EACH * len(EVERY_CASE))
