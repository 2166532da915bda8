from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from p4warden.prove.experiment_site import USER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_LABEL, _LONG = "prove-io", "prove-io-long"
_REFUSED = ("refused", "unnamed")
_PASS = b"action:pass\n"
FIRST, LAST = "//depot/prove/none/first", "//depot/prove/none/last"
LONG_BYTES = 1 << 20
"""Least size of the arguments of the long command, eight times that of a word of a line."""
TEXT, ENCODED = b"prove says no", b"prove%20says%0Ano"
_ANSWERS: dict[str, tuple[bytes, int]] = {
    "pass": (_PASS, 0),
    "fail": (b"action:fail\nmessage:" + TEXT + b"\n", 0),
    "encoded": (b"action:fail\nmessage:" + ENCODED + b"\n", 0),
    "nothing": (b"", 0),
    "pass-exit-1": (_PASS, 1),
    "text-exit-1": (b"prove says no\n", 1),
}


def run(lab: Lab) -> None:
    """Run `p4 depots` for each output and exit code of a trigger; then 1 MiB of arguments."""
    lab.must("configure", "set", "triggers.io=1")
    lab.install(
        lab.line(_LABEL, "command", "pre-user-depots$", "--user=%user%"),
        lab.line(_LONG, "command", "pre-user-files$", "--user=%user%"),
    )
    for name, (output, code) in _ANSWERS.items():
        with lab.part():
            lab.answer(_LABEL, output, code=code)
            lab.step(name, lab.connect(prog="prove 100% sure"), "depots")
    with lab.part():
        lab.answer(_LONG, _PASS)
        lab.step("long", lab.connect(), "files", *_long_arguments())


def _long_arguments() -> list[str]:
    path = f"//depot/prove/none/{'x' * 100}/"
    return [FIRST, *(f"{path}{number}" for number in range(LONG_BYTES // len(path))), LAST]


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive facts about `triggers.io=1`."""
    first = steps.get("pass")
    return {
        "dictionary.stdin": _lines(first),
        "dictionary.percent": _percent(first),
        "dictionary.words": _words(first),
        "dictionary.pass": _verdict(first),
        "dictionary.fail": _refusal_text(steps.get("fail")),
        "dictionary.encoded": _decoded(steps.get("encoded")),
        "dictionary.nothing": _verdict(steps.get("nothing")),
        "dictionary.exit-code": _verdict(steps.get("pass-exit-1")),
        "dictionary.plain-text": _verdict(steps.get("text-exit-1")),
        "dictionary.long": _long(steps.get("long")),
    }


def _lines(step: Step | None) -> str | None:
    """`colon` is `user:NAME`, `colon-blank` is `user: NAME`, `empty` no input."""
    if step is None or not step.calls:
        return None
    lines = step.calls[0].stdin.replace(b"\r\n", b"\n").split(b"\n")
    if f"user:{USER}".encode() in lines:
        return "colon"
    if f"user: {USER}".encode() in lines:
        return "colon-blank"
    return "other" if step.calls[0].stdin.strip() else "empty"


def _percent(step: Step | None) -> str | None:
    if step is None or not step.calls or not step.calls[0].stdin.strip():
        return None
    content = step.calls[0].stdin
    if b"prove 100%25 sure" in content:
        return "encoded"
    return "plain" if b"prove 100% sure" in content else "other"


def _words(step: Step | None) -> str | None:
    if step is None or not step.calls:
        return None
    return "expanded" if step.calls[0].value("user") == USER.encode() else "other"


def _long(step: Step | None) -> str | None:
    """Return `whole` if long arguments arrived on standard input, in one entry `args`.

    `cut` without their end, `absent` without an entry, `other` in another way. Without a trigger
    call `refused` if the command failed, else `no-trigger`; None if the command was not recorded.
    """
    if step is None:
        return None
    if not step.calls:
        return "refused" if step.has_failed else "no-trigger"
    lines = step.calls[0].stdin.splitlines()
    texts = [unquote_to_bytes(line[5:]).strip() for line in lines if line.startswith(b"args:")]
    if len(texts) != 1 or not texts[0].startswith(FIRST.encode()):
        return "other" if texts else "absent"
    return "whole" if texts[0].endswith(LAST.encode()) else "cut"


def _verdict(step: Step | None) -> str | None:
    if step is None:
        return None
    if _LABEL.encode() in step.text:
        return "refused"
    if not step.calls:
        return "no-trigger"
    return "unnamed" if step.has_failed else "passes"


def _refusal_text(step: Step | None) -> str | None:
    verdict = _verdict(step)
    if step is None or verdict not in _REFUSED:
        return verdict
    return "refused-with-text" if TEXT in step.text else "refused-without-text"


def _decoded(step: Step | None) -> str | None:
    verdict = _verdict(step)
    if step is None or verdict not in _REFUSED:
        return verdict
    if ENCODED in step.text:
        return "literal"
    return "decoded" if b"prove says\nno" in step.text else "other"
