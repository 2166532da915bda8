from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiments import values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.records import Recording
    from p4warden.prove.redaction import Redaction


def cleaned_recordings(
    recordings: Mapping[str, Recording], redaction: Redaction
) -> dict[str, Recording]:
    """Return recordings without the texts that a redaction removes.

    A name stays if its removal would change a derived value, as it may also be a word of Perforce,
    such as an account called `user` or a host called `client`. Addresses are always removed.
    """
    of_addresses = redaction._replace(paths=(), names=())
    originals = _values(_without(recordings, of_addresses))
    names = tuple(
        name
        for name in redaction.names
        if _values(_without(recordings, of_addresses._replace(names=(name,)))) == originals
    )
    return _without(recordings, redaction._replace(names=names))


def _without(recordings: Mapping[str, Recording], redaction: Redaction) -> dict[str, Recording]:
    return {name: redaction.recording(recording) for name, recording in recordings.items()}


def _values(recordings: Mapping[str, Recording]) -> list[dict[str, str | None]]:
    return [values(name, recording.steps) for name, recording in recordings.items()]
