from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from p4warden.prove.experiment_site import USER
from p4warden.prove.experiments.fact_values import of_call, of_steps

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Call, Step

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


def _lines(call: Call) -> str:
    """`colon` is `user:NAME`, `colon-blank` is `user: NAME`, `empty` no input."""
    lines = call.stdin.replace(b"\r\n", b"\n").split(b"\n")
    if f"user:{USER}".encode() in lines:
        return "colon"
    if f"user: {USER}".encode() in lines:
        return "colon-blank"
    return "other" if call.stdin.strip() else "empty"


def _percent(call: Call) -> str | None:
    if not call.stdin.strip():
        return None
    if b"prove 100%25 sure" in call.stdin:
        return "encoded"
    return "plain" if b"prove 100% sure" in call.stdin else "other"


def _words(call: Call) -> str:
    return "expanded" if call.value("user") == USER.encode() else "other"


def _long(call: Call) -> str:
    """Return `whole` if long arguments arrived on standard input, in one entry `args`.

    `cut` without their end, `absent` without an entry, `other` in another way.
    """
    lines = call.stdin.splitlines()
    texts = [unquote_to_bytes(line[5:]).strip() for line in lines if line.startswith(b"args:")]
    if len(texts) != 1 or not texts[0].startswith(FIRST.encode()):
        return "other" if texts else "absent"
    return "whole" if texts[0].endswith(LAST.encode()) else "cut"


def _verdict(step: Step) -> str:
    if _LABEL.encode() in step.text:
        return "refused"
    if not step.calls:
        return "no-trigger"
    return "unnamed" if step.has_failed else "passes"


def _refusal_text(step: Step) -> str:
    verdict = _verdict(step)
    if verdict not in _REFUSED:
        return verdict
    return "refused-with-text" if TEXT in step.text else "refused-without-text"


def _decoded(step: Step) -> str:
    verdict = _verdict(step)
    if verdict not in _REFUSED:
        return verdict
    if ENCODED in step.text:
        return "literal"
    return "decoded" if b"prove says\nno" in step.text else "other"


VALUES = {
    "stdin": of_call(_lines, "pass", None),
    "percent": of_call(_percent, "pass", None),
    "words": of_call(_words, "pass", None),
    "pass": of_steps(_verdict, "pass"),
    "fail": of_steps(_refusal_text, "fail"),
    "encoded": of_steps(_decoded, "encoded"),
    "nothing": of_steps(_verdict, "nothing"),
    "exit-code": of_steps(_verdict, "pass-exit-1"),
    "plain-text": of_steps(_verdict, "text-exit-1"),
    "long": of_call(_long, "long", "no-trigger", "refused"),
}
