"""Make the checkpoint records of streams from their forms' fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.whole_checkpoint import TIME_S

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPES = ["mainline", "release", "development", "virtual", "task", "unloaded", "sparserel"]
PATHS = {"share": 0, "isolate": 1, "import": 2, "exclude": 3, "import+": 7, "import&": 15}
COMPONENTS = {"readonly": 17, "writeall": 18, "writeimport+": 23}
KINDS = PATHS | COMPONENTS | {"remapped": 4, "comment": 9, "inclusive": 6}
LAYOUT = 3
CHANGE = 10


def stream_records(name: str, form: Mapping[str, Any]) -> dict[str, str]:
    """Return the records of a stream by table.

    `form` has `parent` (none if missing), `type` (development), `parentview` (inherit), `paths`
    (share ...), `components`, `change` (10), and `layout`, the version of the records (3).
    """
    layout, change = form.get("layout", LAYOUT), form.get("change", CHANGE)
    parent, kind = form.get("parent", "none"), TYPES.index(form.get("type", "development"))
    inherits = int(form.get("parentview", "inherit") == "inherit")
    view = f" {inherits}" if layout > 1 else ""
    lines = [*form.get("paths", ["share ..."]), *form.get("components", [])]
    return {
        "domain": f"@pv@ 6 @db.domain@ @{name}@ 115 @@ @@ @@ @@ @ann@ {TIME_S - 50} "
        f"{TIME_S - 50} 0 @Made.\n@ @@ @@ 0 \n",
        "stream": f"@pv@ {layout} @db.stream@ @{name}@ @{parent}@ @x@ {kind} "
        f"1 0 0 0 0 0 0{view} \n",
        "template": "".join(
            template_record(name, number, line, parent, change, layout)
            for number, line in enumerate(lines)
        ),
    }


def template_record(
    name: str,
    number: int,
    line: str,
    parent: str = "none",
    change: int = CHANGE,
    layout: int = LAYOUT,
) -> str:
    """Return the record of a line of Paths or Components; a component may end with `@CHANGE`."""
    kind, view, depot = [*line.split(), ""][:3]
    depot, _, pin = depot.partition("@")
    pin = f"@{pin}@" if pin else "-1"
    return (
        f"@pv@ {layout} @db.template@ @{name}@ {change} {number} @{parent}@ 2 {KINDS[kind]} "
        f"@{view}@ @{depot}@ {pin} \n"
    )


def records_of(streams: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the records of all streams, table by table, in the order of the names given."""
    records = [stream_records(name, form) for name, form in streams.items()]
    tables = ("domain", "stream", "template")
    return "".join(record[table] for table in tables for record in records)
