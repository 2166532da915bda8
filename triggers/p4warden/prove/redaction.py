from __future__ import annotations

import contextlib
import getpass
import os
import re
import socket
import sys
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from p4warden.prove.experiments import values
from p4warden.prove.records import Call, Recording, ServerMessage, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from p4warden.prove.experiment_site import ExperimentSite

_ADDRESS = (
    rb"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])"
    rb"|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}(?![\w:])"
    rb"|(?<![\w:])(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4})*)?::[0-9a-fA-F]{1,4}"
    rb"(?::[0-9a-fA-F]{1,4})*(?:%\w+)?(?![\w:])"
)
# A percent-encoded character ends in a letter or digit, but separates words.
_ENCODED = rb"(?<=%[0-9A-F][0-9A-F])"
_FOLDER = b"<folder>"
_IN_FOLDER = rb"(?:(?:/|%2F)[\w.-]+)*"
_LEAST = 2
"""Minimum length in characters: a single one identifies nobody and occurs in many texts."""


class Redaction(NamedTuple):
    """Texts to replace, longer ones first.

    `paths` are replaced unless they continue a word or path, or a word continues them; so `/home`
    is replaced neither in the depot path `//home` nor in `/srv/home`. `names` are whole words.
    """

    paths: tuple[tuple[bytes, bytes], ...]
    names: tuple[tuple[bytes, bytes], ...]

    def text(self, content: bytes) -> bytes:
        """All are replaced at once, so that none is found in the replacement of another."""
        words = {**dict(self.names), **dict(self.paths)}

        def replaced(match: re.Match[bytes]) -> bytes:
            original = match["folder"] or match["other"]
            return words[original] + (match["rest"] or b"") if original else b"<address>"

        return _pattern(self).sub(replaced, content)

    def recording(self, recording: Recording) -> Recording:
        trouble = recording.trouble and self.text(recording.trouble.encode()).decode(
            "utf-8", "replace"
        )
        return Recording({n: self._step(s) for n, s in recording.steps.items()}, trouble)

    def _step(self, step: Step) -> Step:
        messages = (ServerMessage(s.severity, s.number, self.text(s.text)) for s in step.messages)
        calls = tuple(map(self._call, step.calls))
        return Step(step.name, calls, tuple(messages), tuple(map(self.text, step.rows)))

    def _call(self, call: Call) -> Call:
        form = None if call.form is None else self.text(call.form)
        words = tuple(map(self.text, call.words))
        return call._replace(words=words, stdin=self.text(call.stdin), form=form)


@cache
def _pattern(redaction: Redaction) -> re.Pattern[bytes]:
    """Return a pattern whose groups are `folder` with `rest`, or `other`; none for an address.

    The rest of a path below the experiments' folder is made of their own names, and stays.
    """
    folders = [path for path, word in redaction.paths if word == _FOLDER]
    others = [path for path, word in redaction.paths if word != _FOLDER]
    names = [name for name, _ in redaction.names]
    before_path, before_name = (
        rb"(?:(?<![" + characters + rb"])|" + _ENCODED + rb")"
        for characters in (rb"\w./-", rb"\w-")
    )
    in_folder = (
        before_path + rb"(?P<folder>" + _alternatives(folders) + rb")(?P<rest>" + _IN_FOLDER
    )
    whole = (before_path + _alternatives(others), before_name + _alternatives(names))
    other = rb"(?P<other>" + rb"|".join(whole) + rb")"
    after = rb"(?![\w-])"
    return re.compile(in_folder + rb")" + after + rb"|" + other + after + rb"|" + _ADDRESS)


def _alternatives(texts: Iterable[bytes]) -> bytes:
    """Return a pattern that matches nothing if there are no texts."""
    return rb"(?:" + (rb"|".join(map(re.escape, texts)) or rb"(?!)") + rb")"


def redaction_of(place: ExperimentSite) -> Redaction:
    """Return the redaction of texts that identify this host."""
    paths = {
        str(place.folder): _FOLDER,
        str(place.folder.resolve()): _FOLDER,
        place.port: b"<server>",
        place.program: b"<p4d>",
        sys.executable: b"<python>",
        sys.prefix: b"<python>",
        os.path.expanduser("~"): b"<home>",  # noqa: PTH111 - "/" is left out below
        os.getcwd(): b"<directory>",  # noqa: PTH109 - as above
    }
    host = socket.gethostname()
    names = dict.fromkeys((host, host.partition(".")[0], socket.getfqdn()), b"<host>")
    # The system's list of users may lack a name for the account of this process.
    with contextlib.suppress(KeyError, OSError):
        names[getpass.getuser()] = b"<account>"
    names[place.folder.name] = _FOLDER
    names[place.port.rpartition(":")[2]] = b"<port>"
    return redaction(paths.items(), names.items())


def redaction(paths: Iterable[tuple[str, bytes]], names: Iterable[tuple[str, bytes]]) -> Redaction:
    """Return a redaction from pairs with replacements; paths also where percent-encoded."""
    spellings = [(form, word) for path, word in paths for form in (path, quote(path, safe=""))]
    return Redaction(_longest_first(spellings), _longest_first(names))


def _longest_first(texts: Iterable[tuple[str, bytes]]) -> tuple[tuple[bytes, bytes], ...]:
    pairs = [(os.fsencode(text), word) for text, word in texts if len(text) >= _LEAST]
    return tuple(sorted(pairs, key=lambda pair: len(pair[0]), reverse=True))


def cleaned_recordings(
    recordings: Mapping[str, Recording], redaction: Redaction
) -> dict[str, Recording]:
    """Return recordings without the texts that a redaction removes.

    A name stays if its removal would change a derived value, as it may also be a word of Perforce,
    such as an account called `user` or a host called `client`. Addresses are always removed.
    """
    of_addresses = redaction._replace(paths=(), names=())
    originals = _derived_values(_redacted(recordings, of_addresses))
    names = tuple(
        name
        for name in redaction.names
        if _derived_values(_redacted(recordings, of_addresses._replace(names=(name,))))
        == originals
    )
    return _redacted(recordings, redaction._replace(names=names))


def _redacted(recordings: Mapping[str, Recording], redaction: Redaction) -> dict[str, Recording]:
    return {name: redaction.recording(recording) for name, recording in recordings.items()}


def _derived_values(recordings: Mapping[str, Recording]) -> list[dict[str, str | None]]:
    return [values(name, recording.steps) for name, recording in recordings.items()]
