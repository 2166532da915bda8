from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.second_server import second_server

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_CLIENT, _OTHER_CASE = "prove-\N{LATIN CAPITAL LETTER U WITH DIAERESIS}", "prove-\u00fc"


def run(lab: Lab) -> None:
    """Use a client with an umlaut in its name on a p4d in unicode mode with `-C1`."""
    with second_server(lab, "unicode", "-C1", setup=("-xi",), charset="utf8") as other:
        other.step("info", other.connect(), "info")
        other.install(
            other.line("prove-unicode", "command", "pre-user-depots$", "--client=%client%"),
            other.line("prove-form", "form-save", "client", "--form=%formfile%"),
        )
        form = other.client_form(_CLIENT, f"//depot/prove/... //{_CLIENT}/...")
        other.step("form", other.connect(client=_CLIENT), "client", "-i", command_input=form)
        with lab.part():
            other.step("client", other.connect(client=_CLIENT), "depots")
        other.step("folded", other.connect(), "clients", "-e", _OTHER_CASE)


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive how a p4d in unicode mode passes and compares names."""
    form, client = steps.get("form"), steps.get("client")
    call = client.calls[0] if client and client.calls else None
    return {
        "unicode.info": _info(steps.get("info")),
        "unicode.form": _encoding(form, form.calls[0].form if form and form.calls else None),
        "unicode.client": _encoding(client, call.value("client") if call else None),
        "unicode.folding": _folding(form, steps.get("folded")),
    }


def _info(step: Step | None) -> str | None:
    if step is None or step.has_failed:
        return None
    return "enabled" if b"unicode: enabled" in b"\n".join(step.rows) else "unsaid"


def _encoding(step: Step | None, content: bytes | None) -> str | None:
    if step is None or (step.has_failed and content is None):
        return None
    if content is None:
        return "no-trigger"
    return "utf-8" if _CLIENT.encode() in content else "other"


def _folding(form: Step | None, folded: Step | None) -> str | None:
    if form is None or folded is None or form.has_failed or folded.has_failed:
        return None
    return "all-letters" if folded.rows else "ascii"
