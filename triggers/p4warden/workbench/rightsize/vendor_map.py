"""P4Python's `P4.Map` checks views in a process of its own: it crashes and hangs on some texts."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from p4warden.workbench.rightsize import Proposal, SearchResult, ViewRow

    _Views = tuple[tuple[ViewRow, ...], tuple[ViewRow, ...], tuple[str, ...] | None]

_DEADLINE_S = 600

# Standard input, in JSON: by client the present and the proposed view, and the paths of a proposed
# LimitView or null. File: four NUL-separated texts per file: client, depot path, client path, and
# whether the client needs the file. Output: for each client a JSON line with the needed file that
# would move, or null, the others that leave, and the counts of `SearchResult`. A file that is not
# where the present view maps it has to stay where that view maps it.
_PROGRAM = r"""
import json, sys
from itertools import groupby
import P4

def vendor_map(rows):
    view = P4.Map()
    for mark, depot, client in rows:
        view.insert('"%s%s"' % (mark, depot), '"%s"' % client)
    return view

def fields(name):
    rest = b""
    with open(name, "rb") as file:
        while part := file.read(1 << 20):
            *whole, rest = (rest + part).split(b"\0")
            yield from whole

views = json.load(sys.stdin)
texts = (text.decode("utf-8", "backslashreplace") for text in fields(sys.argv[1]))
for client, files in groupby(zip(texts, texts, texts, texts), lambda file: file[0]):
    if client not in views:
        continue
    before, after = map(vendor_map, views[client][:2])
    limit = P4.Map()
    for path in views[client][2] or ("//...",):
        limit.insert(path, path)
    moved, leaving = None, []
    counts = dict.fromkeys(("needed_count", "unused_count", "moved_count", "outside_count"), 0)
    for _, depot, place, is_needed in files:
        present = before.translate_array(depot) or ()
        used = "needed_count" if is_needed else "unused_count"
        counts[used if present else "outside_count"] += 1
        counts["moved_count"] += bool(present and is_needed and place not in present)
        kept = [place] if place in present else present
        places = limit.includes(depot) and after.translate_array(depot) or ()
        if not set(kept) <= set(places):
            if is_needed:
                moved = depot
            else:
                leaving.append(depot)
    print(json.dumps([client, moved, leaving, counts]))
"""


class VendorMapError(P4WardenError):
    """Error: the process that checks proposed views with `P4.Map` gave no result."""


def checked(answers: Sequence[SearchResult], files: str) -> list[SearchResult]:
    """Drop proposed views that would move a needed file, and list the files that others drop.

    `files` is that of the `TemporaryIndex` whose program gave the answers.

    Raises:
        VendorMapError: the checking process failed, or took over ten minutes.
    """
    proposals = ((answer, answer.proposal) for answer in answers)
    views = {one.client: _views(one.view, proposal) for one, proposal in proposals if proposal}
    checks = {client: check for client, *check in _lines(views, files)} if views else {}
    return [_checked(answer, checks.get(answer.client)) for answer in answers]


def _checked(answer: SearchResult, check: Sequence[Any] | None) -> SearchResult:
    if check is None:
        return answer
    moved, leaving, counts = check
    answer = answer._replace(dropped_paths=tuple(leaving), **counts)
    if moved is None:
        return answer
    reason = f"the proposed view would move {moved}"
    return answer._replace(proposal=None, dropped_paths=(), reason=reason)


def _views(present: tuple[ViewRow, ...], proposal: Proposal) -> _Views:
    if proposal.is_limit:
        return present, present, proposal.lines
    return present, proposal.view, None


def _lines(views: Mapping[str, _Views], files: str) -> Iterator[list[Any]]:
    command = [sys.executable, "-I", "-c", _PROGRAM, files]
    text = json.dumps(views).encode()
    try:
        process = subprocess.run(
            command, input=text, capture_output=True, timeout=_DEADLINE_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise VendorMapError("the vendor's map did not end; nothing is proposed") from error
    if process.returncode:
        problem = process.stderr.decode("utf-8", "replace").strip().splitlines()
        last = problem[-1] if problem else f"exit code {process.returncode}"
        raise VendorMapError(f"the vendor's map failed, nothing is proposed: {last}")
    yield from map(json.loads, process.stdout.splitlines())
