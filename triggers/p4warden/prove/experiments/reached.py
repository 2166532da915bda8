"""How values that a user chose came to a trigger line of ours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from p4warden.prove.records import Step

_LIBRARY = re.compile(rb" \[PY[^]]*\]$")
"""What P4Python adds to the name of a program."""


def reached(step: Step, expected: Sequence[tuple[str, str]], trusted: Collection[str]) -> str:
    """Tell how the words of a line came.

    Args:
        step: a command on which a line passes each option as `%quote%--name=%value%%quote%`.
        expected: the options of the line in their order, with what the client sent.
        trusted: those that the client did not choose.

    Returns:
        `kept`: each word is as it was sent; `rewritten`: each option is there, a chosen one with
        another value; `broken`: the words are others, which a check of their order sees;
        `forged`: the order is right and a trusted value is not; `refused`: no trigger ran and the
        command failed; `no-trigger`: none ran and the command passed.
    """
    if not step.calls:
        return "refused" if step.failed else "no-trigger"
    words = [_LIBRARY.sub(b"", word) for word in step.calls[0].words]
    if [word.partition(b"=")[0] for word in words] != [f"--{n}".encode() for n, _ in expected]:
        return "broken"
    wrong = {
        name
        for (name, value), word in zip(expected, words, strict=True)
        if word != f"--{name}={value}".encode()
    }
    if not wrong:
        return "kept"
    return "forged" if wrong & set(trusted) else "rewritten"
