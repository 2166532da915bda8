from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.core.json_lines import object_in
from p4warden.core.plural import amount
from p4warden.core.printable import printable, printable_lines
from p4warden.core.shell_words import pasteable
from p4warden.core.visible import shown_lines
from p4warden.workbench.notify import Letter, Objection, template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from p4warden.workbench.notify.template import Template

_TEXTS = ("type", "name", "rule", "detail", "advice", "reason")
_FIELDS = (("view", "View"), ("limit_view", "LimitView"))
"""Keys of a proposal, with the field of the client form."""
_OBJECTING = ("observe", "refuse")
"""Not `unknown`, because facts were missing."""

_MOST_SPECS = 50
"""Further specs are only counted."""


class Wording(NamedTuple):
    server: str  # as its users know it
    deadline: str  # `YYYY-MM-DD`
    contact: str  # a person or mail address
    template: Template = template.parse(template.DEFAULT)


def objections(lines: Iterable[str], source: str) -> dict[str, list[Objection]]:
    """Return objections by owner, from lines of `p4warden census --json`.

    Specs without owner or with the verdict `unknown` are left out; `source` names the file.

    Raises:
        P4WardenError: a line does not have the form of `p4warden census --json`.
    """
    by_owner: dict[str, list[Objection]] = {}
    for number, line in enumerate(lines, 1):
        document = object_in(line) or {}
        owner, verdict = document.get("owner"), document.get("verdict")
        if verdict is None or "name" not in document:
            raise _not_output(f"{source}:{number}", "p4warden census --json")
        if verdict in _OBJECTING and owner:
            by_owner.setdefault(str(owner), []).append(_objection(document))
    return by_owner


class SufficientView(NamedTuple):
    field: str  # of the client form, with `lines`: `View` or `LimitView`
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
        document = object_in(line) or {}
        view = _sufficient_view(document)
        if "client" not in document or view is None:
            raise _not_output(f"{source}:{number}", "p4warden rightsize --json")
        if view.lines:
            by_client[str(document["client"])] = view
    return by_client


def _count(document: Mapping[str, Any]) -> int:
    count = document.get("outside")
    return count if isinstance(count, int) else 0


def _sufficient_view(document: Mapping[str, Any]) -> SufficientView | None:
    """Return the proposed view, without lines if none is proposed; None if malformed."""
    proposal, leaving = document.get("proposal", ""), document.get("leaving") or []
    if proposal is None:
        return SufficientView("", (), 0, 0)
    for key, field in _FIELDS if isinstance(proposal, dict) and isinstance(leaving, list) else ():
        lines = proposal.get(key)
        if isinstance(lines, list):
            return SufficientView(field, tuple(map(str, lines)), _count(document), len(leaving))
    return None


def letter(
    owner: str,
    specs: Sequence[Objection],
    enough: Mapping[str, SufficientView],
    wording: Wording,
) -> Letter:
    """Return the letter about `specs`, without an address; `enough` has views by client name."""
    parts = [_paragraph(_with_view(spec, enough)) for spec in specs[:_MOST_SPECS]]
    if len(specs) > _MOST_SPECS:
        parts.append(f"And {len(specs) - _MOST_SPECS} more: ask for the list.")
    values = {
        "owner": printable(owner),
        "number": str(len(specs)),
        "spec_count": amount(len(specs), "Perforce spec"),
        "these_specs": "this spec" if len(specs) == 1 else f"these {len(specs)} specs",
        "deadline": wording.deadline,
        "server": wording.server,
        "contact": wording.contact,
        "specs": "\n\n".join(parts),
    }
    return Letter(owner, "", *wording.template.filled(values))


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
    lines = spec.lines if spec.keeps_files else sorted(spec.lines)
    indented = [f"    {shown_lines(line)}" for line in lines]
    choice = [f"  {shown_lines(sentence)}" for sentence in spec.choice]
    return "\n".join((heading, f"{_advice(spec)}:", *indented, *choice))


def _advice(spec: Objection) -> str:
    edit = f"p4 {spec.type} {pasteable(spec.name)}"
    if spec.keeps_files:
        replace = f"Replace all lines of its {spec.field} ({edit}) by"
        if spec.field == "LimitView":
            replace = f"Write in its LimitView ({edit}), in place of lines that are there"
        return f"{_promise(spec)}  {replace}"
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
    choice = document.get("choice")
    return Objection(
        **{key: str(document.get(key) or "") for key in _TEXTS},
        lines=tuple(str(document.get("fix") or "").splitlines()),
        choice=tuple(map(str, choice if isinstance(choice, list) else ())),
        keeps_files=document.get("keeps_files") is True,
        outside_count=_count(document),
        leaving_count=0,
        field=str(document.get("field") or "View"),
    )


def _not_output(place: str, command: str) -> P4WardenError:
    return P4WardenError(
        f"{place}: this line is not output of {command}; create the file with that command"
    )
