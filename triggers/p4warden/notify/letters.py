from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.printable import printable, printable_lines
from p4warden.core.visible import shown_lines
from p4warden.notify import Letter, Objection

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_TEXTS = ("type", "name", "rule", "detail", "advice", "reason")
_OBJECTING = ("observe", "refuse")
"""Not `unknown`, because facts were missing."""

_MOST_SPECS = 50
"""Further specs are only counted."""


class Wording(NamedTuple):
    server: str  # as its users know it
    deadline: str  # `YYYY-MM-DD`
    contact: str  # a person or mail address


def objections(lines: Iterable[str], source: str) -> dict[str, list[Objection]]:
    """Return objections by owner, from lines of `p4warden census --json`.

    Specs without owner or with the verdict `unknown` are left out; `source` names the file.

    Raises:
        P4WardenError: a line does not have the form of `p4warden census --json`.
    """
    by_owner: dict[str, list[Objection]] = {}
    for number, line in enumerate(lines, 1):
        place = f"{source}:{number}"
        document = _json_object(line)
        owner, verdict = document.get("owner"), document.get("verdict")
        if verdict is None or "name" not in document:
            raise _not_output(place, "p4warden census --json")
        if verdict in _OBJECTING and owner:
            by_owner.setdefault(str(owner), []).append(_objection(document))
    return by_owner


class SufficientView(NamedTuple):
    lines: tuple[str, ...]
    outside_count: int  # files that the client has and its present view does not map
    leaving_count: int  # files that the present view maps and `lines` do not


def proposals(lines: Iterable[str], source: str) -> dict[str, SufficientView]:
    """Return proposed views by client name, from lines of `p4warden rightsize --json`.

    Raises:
        P4WardenError: a line does not have the form of `p4warden rightsize --json`.
    """
    by_client = {}
    for number, line in enumerate(lines, 1):
        place = f"{source}:{number}"
        document = _json_object(line)
        view = _proposed_view(document)
        if "client" not in document or not isinstance(view, list | None):
            raise _not_output(place, "p4warden rightsize --json")
        if view:
            by_client[str(document["client"])] = SufficientView(
                tuple(map(str, view)), _count(document), len(document.get("leaving") or ())
            )
    return by_client


def _count(document: Mapping[str, Any]) -> int:
    count = document.get("outside")
    return count if isinstance(count, int) else 0


def _proposed_view(document: Mapping[str, Any]) -> Any:
    """None without one, False if malformed."""
    proposal = document.get("proposal", False)
    if proposal is None:
        return None
    return proposal.get("view", False) if isinstance(proposal, dict) else False


def letter(
    owner: str,
    address: str,
    specs: Sequence[Objection],
    enough: Mapping[str, SufficientView],
    wording: Wording,
) -> Letter:
    """Return the letter about `specs`; `enough` has sufficient views by client name."""
    subject = f"Please change {amount(len(specs), 'Perforce spec')} by {wording.deadline}"
    spec_words = "this spec" if len(specs) == 1 else f"these {len(specs)} specs"
    opening = (
        f"From {wording.deadline} on, {wording.server} will refuse to save clients, branches and "
        f"other specs that slow it down. Please change {spec_words} of yours before that day:"
    )
    parts = [
        f"Hello {printable(owner)},",
        opening,
        *(_paragraph(_with_view(spec, enough)) for spec in specs[:_MOST_SPECS]),
    ]
    if len(specs) > _MOST_SPECS:
        parts.append(f"And {len(specs) - _MOST_SPECS} more: ask for the list.")
    parts.append(f"Questions: {wording.contact}")
    return Letter(owner, address, subject, "\n\n".join(parts) + "\n")


def _with_view(spec: Objection, enough: Mapping[str, SufficientView]) -> Objection:
    view = enough.get(spec.name) if spec.type == "client" else None
    if view is None:
        return spec
    return spec._replace(choice=(), keeps_files=True, reason="", **view._asdict())


def _paragraph(spec: Objection) -> str:
    reasons = [spec.detail, *spec.advice.splitlines()]
    reasons_text = "\n  ".join(map(printable_lines, reasons))
    heading = f"{spec.type} {printable(spec.name)}\n  {reasons_text}"
    if spec.reason:
        reason = printable_lines(spec.reason)
        return f"{heading}\n  No lines are proposed: {reason}. Ask before you change its view."
    if not spec.lines:
        return heading
    indented = [f"    {shown_lines(line)}" for line in spec.lines]
    choice = [f"  {shown_lines(sentence)}" for sentence in spec.choice]
    return "\n".join((heading, f"{_advice(spec)}:", *indented, *choice))


def _advice(spec: Objection) -> str:
    edit = f"p4 {spec.type} {printable(spec.name)}"
    if spec.keeps_files:
        return f"{_promise(spec)}  Replace all lines of its View ({edit}) by"
    if spec.type == "client" and any("//" in line for line in spec.lines):
        return (
            f"  Edit it with {edit}, and map only the directories that you work on. Files\n"
            "  elsewhere are removed from your disk at the next sync. For example"
        )
    return f"  Edit it with {edit} and write, for example"


def _promise(spec: Objection) -> str:
    kept = "  These lines keep all files that it has and that its view maps today.\n"
    if spec.leaving_count:
        leaving = amount(spec.leaving_count, "other file")
        kept = (
            "  These lines keep the files that were used lately; of those that its view maps,\n"
            f"  {leaving} will leave your disk at the next sync.\n"
        )
    more = (
        "  They do not map files that it never synced; add a line for each further directory\n"
        "  that you need.\n"
    )
    if not spec.outside_count:
        return kept + more
    outside = amount(spec.outside_count, "file")
    removed = (
        f"  Its view does not map {outside} that it has: the next sync\n"
        f"  removes {'it' if spec.outside_count == 1 else 'them'}, with these lines or without.\n"
    )
    return kept + removed + more


def _objection(document: Mapping[str, Any]) -> Objection:
    fix = document.get("fix") or ""
    texts = {key: str(document.get(key) or "") for key in _TEXTS}
    keeps_files = document.get("keeps_files") is True
    choice = tuple(map(str, document.get("choice") or ()))
    lines = tuple(str(fix).splitlines())
    outside_count = _count(document)
    return Objection(
        texts["type"],
        texts["name"],
        texts["rule"],
        texts["detail"],
        lines,
        choice,
        texts["advice"],
        keeps_files,
        outside_count,
        reason=texts["reason"],
    )


def _json_object(line: str) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _not_output(place: str, command: str) -> P4WardenError:
    return P4WardenError(
        f"{place}: this line is not output of {command}; create the file with that command"
    )
