"""Tests of quoting names in p4 commands of messages, so that these can be pasted into a shell."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from p4warden.core.printable import decoded
from p4warden.core.shell_words import pasteable, recorded

WORDS = [
    ("client:ann-ws", "client:ann-ws"),
    ("client:ann's ws", "'client:ann'\"'\"'s ws'"),
    ("client:caf\u00e9", r"$'client:caf\303\251'"),
    ("client:caf\udce97", r"$'client:caf\3517'"),
    ("it's\n\\\u00e9", r"$'it\047s\012\134\303\251'"),
]


@pytest.mark.parametrize(("text", "word"), WORDS)
def test_a_name_is_quoted_as_a_single_ascii_word(text: str, word: str) -> None:
    assert pasteable(text) == word


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(("text", "word"), WORDS)
def test_bash_reads_the_quoted_word_as_the_name(text: str, word: str) -> None:
    output = subprocess.run(
        ["bash", "-c", f"printf %s {word}"], check=True, capture_output=True
    ).stdout
    assert output == text.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("name", ["ann-ws", "caf\u00e9", "caf\udce9-\udcff"])
def test_a_name_from_a_decision_record_is_restored_with_its_bytes(name: str) -> None:
    assert recorded(decoded(name)) == name
