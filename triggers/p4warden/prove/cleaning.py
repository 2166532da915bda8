"""Recordings without what tells where they were made, and with every value as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiments import READERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.records import Recording
    from p4warden.prove.redaction import Redaction


def cleaned(recordings: Mapping[str, Recording], redaction: Redaction) -> dict[str, Recording]:
    """Return recordings without the texts of a redaction.

    A name without which a value would be another one is a word of Perforce's own: an account
    called `user`, a host called `client`. It tells nobody where it comes from, and stays.
    """
    raw = _values(recordings)
    names = tuple(
        name
        for name in redaction.names
        if _values(_without(recordings, redaction._replace(paths=(), names=(name,)))) == raw
    )
    return _without(recordings, redaction._replace(names=names))


def _without(recordings: Mapping[str, Recording], redaction: Redaction) -> dict[str, Recording]:
    return {name: redaction.recording(made) for name, made in recordings.items()}


def _values(recordings: Mapping[str, Recording]) -> list[dict[str, str | None]]:
    return [READERS[name](made.steps) for name, made in recordings.items()]
