"""Draft the test cases that `p4warden init` writes beside a starter policy, for the user to edit.

Texts from a server, such as names, stand in double quotes in YAML; comments are printable ASCII.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.printable import cut, printable
from p4warden.policy.starter import quoted

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterator

    from p4warden.core.records import Facts
    from p4warden.policy.starter import Scope, Survey

_HEAD = """\
# Verdicts of the starter policy of {today} for example events on the server {address}.
# p4warden test POLICY runs them. When you change a rule, change its cases as well: with mode
# enforce, observe becomes refuse. Add a case for each tool that must continue to work.
facts:
  case_sensitive: {case}
  depots:
{depots}
cases:
"""
_FALLBACK = ("depot", ("main",))


def starter_cases(survey: Survey, today: datetime.date, scope: Scope) -> str:
    """Return the YAML of test cases that the starter policy drafted from `survey` passes."""
    depot, directories = _example(survey.facts)
    names_text = ", ".join(quoted(name) for name in directories)
    return _HEAD.format(
        today=today.isoformat(),
        address=cut(survey.address),
        case=str(survey.facts.case_sensitive).lower(),
        depots=f"    {quoted(depot)}: {{type: local, directories: [{names_text}]}}\n",
    ) + "".join(_cases(depot, directories[0], scope))


def _cases(depot: str, top: str, scope: Scope) -> Iterator[str]:
    directory = "/".join([top, *["src"] * (scope.min_depth - 1)])
    yield _view("the client that Perforce proposes", f"//{depot}/... //ws/...", "observe")
    narrow = f"//{depot}/{directory}/... //ws/{directory}/..."
    counted = "" if scope.max_files is None else "    facts: {view: {files: 10}}\n"
    yield _view("a single directory", narrow, "allow") + counted
    ask = f"    command: fstat\n    args: [{quoted(f'//{depot}/{directory}/...')}]\n"
    yield f"\n  - name: a question of a tool, with its arguments\n{ask}    verdict: allow\n"


def _view(name: str, line: str, verdict: str) -> str:
    rule = "    rule: wide-views\n" if verdict == "observe" else ""
    return f"\n  - name: {name}\n    view: [{quoted(line)}]\n    verdict: {verdict}\n{rule}"


def _example(facts: Facts) -> tuple[str, tuple[str, ...]]:
    """Return a depot and some top directories for example cases; their names need no quoting."""
    for name, depot in sorted(facts.depots.items()):
        directories = tuple(one for one in depot.directories or () if _is_plain(one))[:8]
        if depot.type in ("local", "stream") and _is_plain(name) and directories:
            return name, directories
    return _FALLBACK


def _is_plain(name: str) -> bool:
    return name == printable(name) and not set(name) & set(" \t\"'#@%*&+-") and "..." not in name
