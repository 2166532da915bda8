"""A server's replies about some clients in the format of a checkpoint ("P4 Server Schema").

Tables are `db.domain`, `db.view`, `db.have`, `db.working`, `db.change`, `db.rev` and `db.revhx`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.workbench.census.spec_form import DOMAIN_TYPES, MAP_FLAGS

if TYPE_CHECKING:
    from typing import IO

    from p4warden.asking.form_text import FormText

_FLAGS = {mark: flag for flag, mark in MAP_FLAGS.items()}
_CLIENT = DOMAIN_TYPES["client"]
_ROOTS = 3
_START, _END = 0, 1


class PartialCheckpoint:
    """The methods may be called in any order; `end` is the last."""

    def __init__(self, to: IO[bytes]) -> None:
        self._output = to
        self._note(_START)

    def end(self) -> None:
        self._note(_END)

    def client(self, name: str, form: FormText) -> None:
        key = _encoded(name)
        root_lines = (*form.fields.get("root", ())[:1], *form.fields.get("altroots", ()))
        roots = [*map(_encoded, root_lines), *[b"@@"] * _ROOTS][:_ROOTS]
        self._record(
            6, "domain", key, _CLIENT, b"@@", *roots, b"@@", 1, 1, 0, b"@@", b"@@", b"@@", 0
        )
        # A line without a number is p4d's default, one without a path is malformed.
        lines = (line for line in form.lines if line["number"] and line["path"])
        for number, line in enumerate(lines):
            sides = map(_encoded, (line["other"], line["path"]))
            self._record(1, "view", key, number, _FLAGS[line["flag"]], *sides)

    def have(self, depot: bytes, client_path: bytes) -> None:
        self._record(3, "have", _text(client_path), _text(depot), 1, 0, 0)

    def opened(self, depot: bytes, client_path: bytes) -> None:
        self._record(10, "working", _text(client_path), _text(depot), b"@@", b"@@", 0, 1)

    def file(self, depot: bytes) -> None:
        self._record(9, "revhx", _text(depot), 1, 0, 0, 1, 1, 1)

    def submitted(self, change: int, time_s: int, client: str, depots: list[bytes]) -> None:
        self._record(4, "change", change, change, _encoded(client), b"@@", time_s, 1)
        for depot in depots:
            self._record(9, "rev", _text(depot), change, 0, 0, change, time_s)

    def _note(self, kind: int) -> None:
        self._output.write(b"@nx@ %d 0 @@ 0 0 0 0 0 @@ @@ @@ @@ @@ \n" % kind)

    def _record(self, version: int, table: str, *values: int | bytes) -> None:
        texts = (value if isinstance(value, bytes) else b"%d" % value for value in values)
        self._output.write(b"@pv@ %d @db.%s@ %s \n" % (version, table.encode(), b" ".join(texts)))


def _encoded(text: str) -> bytes:
    return _text(text.encode("utf-8", "surrogateescape"))


def _text(value: bytes) -> bytes:
    return b"@" + value.replace(b"@", b"@@") + b"@"
