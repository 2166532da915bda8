from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import USER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_LABEL = "prove-io"
_REFUSED = ("refused", "unnamed")
TEXT, ENCODED = b"prove says no", b"prove%20says%0Ano"
_ANSWERS: dict[str, tuple[bytes, int]] = {
    "pass": (b"action:pass\n", 0),
    "fail": (b"action:fail\nmessage:" + TEXT + b"\n", 0),
    "encoded": (b"action:fail\nmessage:" + ENCODED + b"\n", 0),
    "nothing": (b"", 0),
    "pass-exit-1": (b"action:pass\n", 1),
    "text-exit-1": (b"prove says no\n", 1),
}


def run(lab: Lab) -> None:
    """Run `p4 depots` for each tested output and exit code of a trigger."""
    lab.must("configure", "set", "triggers.io=1")
    lab.install(lab.line(_LABEL, "command", "pre-user-depots$", "--user=%user%"))
    for name, (output, code) in _ANSWERS.items():
        with lab.part():
            lab.answer(_LABEL, output, code=code)
            lab.step(name, lab.connect(prog="prove 100% sure"), "depots")


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
