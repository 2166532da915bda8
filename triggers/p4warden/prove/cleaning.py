"""Remove identifying texts from recordings without changing any derived value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiments import READERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.records import Recording
    from p4warden.prove.redaction import Redaction


def cleaned(recordings: Mapping[str, Recording], redaction: Redaction) -> dict[str, Recording]:
    """Return recordings without the texts that a redaction removes.

    A name whose removal would change a value is also a word of Perforce: an account called `user`,
    a host called `client`. It does not identify anyone, and stays.
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
