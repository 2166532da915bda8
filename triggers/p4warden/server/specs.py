from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from P4 import P4Exception

from p4warden.asking import form_text
from p4warden.asking.judge import judging
from p4warden.core.patterns import fold
from p4warden.core.specs import Groups, Spec
from p4warden.server.questions import ask, form, visit_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    import P4

    from p4warden.server.reply import Row

# -a also lists specs bound to another server of the site (p4 help clients, p4 help labels).
_LISTS = {
    "client": (("clients", "-a"), "client"),
    "stream": (("streams",), "Stream"),
    "branch": (("branches",), "branch"),
    "label": (("labels", "-a"), "label"),
    "depot": (("depots",), "name"),
}
# For a spec that does not exist p4d returns a proposed form without these (P4 Server Administrator
# Guide, form-out triggers).
_STORED = ("access", "update", "date")


class ListedSpec(NamedTuple):
    """`accessed_s` is in seconds since the epoch; None if unknown."""

    type: str
    name: str
    accessed_s: int | None


def listed_specs(p4: P4.P4, types: Collection[str]) -> list[ListedSpec]:
    """Return the server's specs of some types (`client`, `stream`, ...), one command per type."""
    return [spec for spec_type in types for spec in _listed(p4, spec_type)]


def _listed(p4: P4.P4, spec_type: str) -> list[ListedSpec]:
    specs: list[ListedSpec] = []
    command, key = _LISTS[spec_type]

    def keep(row: Row) -> None:
        access_time = row.get("Access", "")
        seconds = int(access_time) if access_time.isdigit() and access_time != "0" else None
        specs.append(ListedSpec(spec_type, row[key], seconds))

    visit_rows(p4, keep, *command)
    return specs


def read(
    p4: P4.P4, rows: Iterable[ListedSpec], wait: Callable[[], None], faults: list[str]
) -> Iterator[Spec]:
    """Yield listed specs with their forms; those deleted in the meantime are skipped.

    `wait` delays each command, to keep the load low; `faults` receives a line for each spec that
    the server does not show.
    """
    with judging() as judge:
        for row in rows:
            wait()
            try:
                text = _text(p4, row)
            except P4Exception as error:
                if not p4.connected():
                    raise
                faults.append(f"{row.type} {row.name}: {' '.join(str(error).split())}")
                continue
            parsed = form_text.read(judge, text)
            if parsed.problem or any(form_text.value(parsed.fields, one) for one in _STORED):
                owner = form_text.value(parsed.fields, "owner")
                yield Spec(row.type, row.name, owner, row.accessed_s, parsed.fields, text)


def _text(p4: P4.P4, row: ListedSpec) -> str:
    name = row.name.encode("utf-8", "surrogateescape")
    return form(p4, row.type, name)


def groups(p4: P4.P4, *, case_sensitive: bool) -> Groups:
    """Ask for all groups with one command; return a lookup of each user's groups."""
    lists: dict[tuple[str, bool], set[str]] = {}
    for row in ask(p4, "groups"):
        for flag, is_group in (("isUser", False), ("isSubGroup", True)):
            if row.get(flag) == "1":
                key = fold(row["user"], case_sensitive=case_sensitive), is_group
                lists.setdefault(key, set()).add(row["group"])

    def groups_of(name: str, is_group: bool) -> set[str]:  # noqa: FBT001 - as Groups asks
        return lists.get((fold(name, case_sensitive=case_sensitive), is_group), set())

    return Groups(groups_of)
