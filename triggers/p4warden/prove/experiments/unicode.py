from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiments.fact_values import of_call, of_output, of_steps
from p4warden.prove.second_server import second_server

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Call, Step

_CLIENT, _OTHER_CASE = "prove-\N{LATIN CAPITAL LETTER U WITH DIAERESIS}", "prove-\u00fc"


def run(lab: Lab) -> None:
    """Use a client with an umlaut in its name on a p4d in unicode mode with `-C1`."""
    with second_server(lab, "unicode", "-C1", setup=("-xi",), charset="utf8") as other:
        other.step("info", other.connect(), "info")
        other.install(
            other.line("prove-unicode", "command", "pre-user-depots$", "--client=%client%"),
            other.line("prove-form", "form-save", "client", "--form=%formfile%"),
        )
        view = f"//depot/prove/... //{_CLIENT}/..."
        other.save("form", other.connect(client=_CLIENT), _CLIENT, view)
        other.ask("client", "depots", client=_CLIENT)
        other.step("folded", other.connect(), "clients", "-e", _OTHER_CASE)


def _in_form(call: Call) -> str:
    return _encoding(call.form)


def _in_word(call: Call) -> str:
    return _encoding(call.value("client"))


def _encoding(content: bytes | None) -> str:
    return "utf-8" if _CLIENT.encode() in (content or b"") else "other"


def _folding(form: Step, folded: Step) -> str | None:
    if form.has_failed or folded.has_failed:
        return None
    return "all-letters" if folded.rows else "ascii"


VALUES = {
    "info": of_output(b"unicode: enabled", "info", "enabled", "unsaid"),
    "form": of_call(_in_form, "form", "no-trigger"),
    "client": of_call(_in_word, "client", "no-trigger"),
    "folding": of_steps(_folding, "form", "folded"),
}
