from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from p4warden.prove.records import Step

_LIBRARY = re.compile(rb" \[PY[^]]*\]$")
"""P4Python appends this to the client program's name."""


def option_delivery(step: Step, options: Mapping[str, str], trusted_names: Collection[str]) -> str:
    """Classify the words that p4d passed to a trigger for options with user-chosen values.

    Each of `options` is written in the line as `%quote%--name=%value%%quote%`; the client did not
    choose the values of `trusted_names`. `kept`: each word is unchanged; `rewritten`: each option
    is present, but one or more that the client chose have other values; `broken`: the words are
    not these options in this order; `forged`: they are, but a trusted value is wrong.
    """
    if not step.calls:
        return "refused" if step.has_failed else "no-trigger"
    words = [_LIBRARY.sub(b"", word) for word in step.calls[0].words]
    if [word.partition(b"=")[0] for word in words] != [f"--{name}".encode() for name in options]:
        return "broken"
    wrong_names = {
        name
        for (name, value), word in zip(options.items(), words, strict=True)
        if word != f"--{name}={value}".encode()
    }
    if not wrong_names:
        return "kept"
    return "forged" if wrong_names & set(trusted_names) else "rewritten"
