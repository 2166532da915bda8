"""Note clients and streams as they are saved, for the gate's estimates of rows read by commands.

The index of the last checkpoint has the old view until a journal contains the new one; until then
the form being saved counts. The gate reads these notes (format:
`triggers/gate/index/src/file/saved_forms.rs`): a file of slots of equal size, in which the
hash of a name selects the slot. A note costs one read and one write, however many others are
saved, and the number of slots is fixed. Of a view that does not fit into a slot the note has the
number of files that it spans by the index. Views of streams, and malformed ones, are noted as
unknown.
"""

from __future__ import annotations

import binascii
import os

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.forms.view_lines import MalformedLine, is_of_stream, view_line_paths
from p4warden.home import locks, trusted_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden.core.records import Event, Form

FILE_NAME = "saved_forms"
SLOT_BYTES = 4096
SLOTS = 8192
_HEAD_BYTES = 16
# The longest name that p4d accepts (`Identifiers too long`, msgdm); longer ones are not noted.
_MOST_NAME_BYTES = 1024
_WAIT_S = 0.2


def note(
    home: str,
    event: Event,
    now_s: int,
    count_files: Callable[[tuple[str, ...]], int | None],
) -> None:
    """Note a client or stream that is about to be saved, for the gate's estimates of commands.

    `count_files` returns the number of files that depot paths span; None if unknown.

    Raises:
        P4WardenError: the note cannot be written.
    """
    if event.event != "form-save" or event.type not in ("client", "stream") or not event.name:
        return
    name = event.name.encode("utf-8", "surrogateescape")
    if len(name) > _MOST_NAME_BYTES:
        return
    line = b"%d\0%s\0%s\n" % (now_s, name, _note_content(event, count_files))
    place = binascii.crc32(name.lower()) % SLOTS * SLOT_BYTES
    try:
        with locks.file_lock(home, FILE_NAME, _WAIT_S) as file:
            slot = _with_note(os.pread(file, SLOT_BYTES, place), name, line, now_s)
            os.pwrite(file, slot, place)
    except OSError as error:
        raise trusted_files.HomeError(f"{home}/{FILE_NAME}: {error.strerror}") from error


def _note_content(event: Event, count_files: Callable[[tuple[str, ...]], int | None]) -> bytes:
    """Return the content of a note about a saved form.

    It is `view` with the client's roots and view, or `files` with the number of files and the
    roots if the view does not fit, without the roots if these do not fit either; or `unknown`.
    """
    form = event.form
    lines = _view(form) if event.type == "client" and form is not None else None
    if form is None or lines is None or any("\n" in path for line in lines for path in line):
        return b"unknown"
    roots = [line.text.strip('"') for name in ("root", "altroots") for line in form.lines(name)]
    room = SLOT_BYTES - 100 - len((event.name or "").encode("utf-8", "surrogateescape"))
    view = _joined("view", [str(len(roots)), *roots, *(path for line in lines for path in line)])
    if len(view) <= room:
        return view
    files = count_files(tuple(depot_path for depot_path, _ in lines))
    if files is None:
        return b"unknown"
    note = _joined("files", [str(files), str(len(roots)), *roots])
    return note if len(note) <= room else _joined("files", [str(files), "0"])


def _joined(kind: str, words: list[str]) -> bytes:
    return b"\0".join(word.encode("utf-8", "surrogateescape") for word in (kind, *words))


def _view(form: Form) -> list[tuple[str, str]] | None:
    """Return both sides of each include line of a client's view; None if the view is unknown."""
    lines = list(view_line_paths(form, "client"))
    known = [one for one in lines if not isinstance(one, MalformedLine)]
    if form.problem or is_of_stream(form) or len(known) < len(lines):
        return None
    return [(one.path, one.client_path or "") for one in known]


def _with_note(slot: bytes, name: bytes, line: bytes, now_s: int) -> bytes:
    """Return a slot of the file of notes about saved forms, with a note about a form added.

    The form's earlier note is left out. A slot has the notes of all form names with one hash; if
    it is full, the oldest are dropped.
    """
    lost_s, notes = _notes(slot, now_s)
    room = SLOT_BYTES - _HEAD_BYTES - 24 - len(line)
    lines = [line]
    for old in notes:
        time_s, saved_name, *_ = old.split(b"\0", 2)
        if saved_name == name:
            continue
        if len(old) <= room:
            lines.append(old)
            room -= len(old)
        else:
            room = 0
            lost_s = max(lost_s, int(time_s))
    text = b"".join([b"%d\n" % lost_s, *lines])
    note = b"%08x%08d%s" % (binascii.crc32(text), len(text), text)
    return note.ljust(SLOT_BYTES, b"\0")


def _notes(slot: bytes, now_s: int) -> tuple[int, list[bytes]]:
    """Read a slot of the file of saved forms: the notes about names with the same hash.

    A damaged slot counts as having dropped all notes just now.

    Returns:
        The time (s) of the latest dropped note, 0 if none, and the notes that the slot holds.
    """
    if not slot.strip(b"\0"):
        return 0, []
    try:
        crc, length = int(slot[:8], 16), int(slot[8:_HEAD_BYTES])
        text = slot[_HEAD_BYTES : _HEAD_BYTES + length]
        if binascii.crc32(text) != crc:
            return now_s, []
        lost_s, *notes = text.split(b"\n")
        return int(lost_s), [line + b"\n" for line in notes if line]
    except ValueError:
        return now_s, []
