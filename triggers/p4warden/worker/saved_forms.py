"""Note clients and streams as they are saved, for the gate's estimates of rows read by commands.

The index of the last checkpoint has the old view until a journal contains the new one; until then
the form being saved counts. The gate reads these notes (the module
`gate/index/src/file/saved_forms.rs` has the format): a file of slots of equal size, in which the
hash of a name selects the slot. A note costs one read and one write, however many others are
saved, and the number of slots is fixed. Views of streams, and those that are malformed or do not
fit into a slot, are noted as unknown.
"""

from __future__ import annotations

import binascii
import os

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.forms.view_lines import MalformedLine, view_line_paths
from p4warden.home import locks, trusted_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Event, Form

FILE_NAME = "saved_forms"
SLOT_BYTES = 4096
SLOTS = 8192
_HEAD_BYTES = 16
_WAIT_S = 0.2


def note(home: str, event: Event, now_s: int) -> None:
    """Note a client or stream that is about to be saved, for the gate's estimates of commands.

    Raises:
        P4WardenError: the note cannot be written.
    """
    if event.event != "form-save" or event.type not in ("client", "stream") or not event.name:
        return
    name = event.name.encode("utf-8", "surrogateescape")
    line = b"%d\0%s\0%s\n" % (now_s, name, _note_content(event))
    place = binascii.crc32(name.lower()) % SLOTS * SLOT_BYTES
    try:
        with locks.file_lock(home, FILE_NAME, _WAIT_S) as file:
            slot = _with_note(os.pread(file, SLOT_BYTES, place), name, line, now_s)
            os.pwrite(file, slot, place)
    except OSError as error:
        raise trusted_files.HomeError(f"{home}/{FILE_NAME}: {error.strerror}") from error


def _note_content(event: Event) -> bytes:
    """Return the content of a note about a saved form: a client's roots and view, or `unknown`.

    It is `unknown` for every stream, and for a client whose view is unknown or whose roots and
    view do not fit into a slot or contain a line end.
    """
    if event.type == "client" and event.form is not None:
        words = list(_words(event.form))
        text = b"view\0" + b"\0".join(words)
        bytes_ = len(text) + len(event.name or "") * 4
        if words and b"\n" not in text and bytes_ < SLOT_BYTES - 100:
            return text
    return b"unknown"


def _words(form: Form) -> Iterator[bytes]:
    """Yield the words of the note about a client that is being saved, for the gate to read.

    They are the number of its roots, the roots, and both sides of each include line of its view.
    There are none if the view is unknown, such as for a client of a stream.
    """
    lines = list(view_line_paths(form, "client"))
    if (
        form.problem
        or form.value("stream")
        or any(isinstance(one, MalformedLine) for one in lines)
    ):
        return
    roots = [line.text.strip('"') for name in ("root", "altroots") for line in form.lines(name)]
    yield b"%d" % len(roots)
    for line in lines:
        if not isinstance(line, MalformedLine):
            roots += (line.path, line.client_path or "")
    for word in roots:
        yield word.encode("utf-8", "surrogateescape")


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
