from __future__ import annotations

from p4warden.asking import form_text
from p4warden.asking.gate_program import GateGoneError
from p4warden.asking.judge import judging
from p4warden.workbench.audit.protections import RIGHTS, Protection
from p4warden.workbench.tune.server_state import ProtectionTable

_FIRST_OPAQUE_BIT = 16
"""Rights of other names share no bit with any other, so that no line counts as covering theirs."""
_WORDS = 5


def protections(form: str) -> ProtectionTable:
    """Read the form of `p4 protect -o`; comments are left out."""
    try:
        with judging() as judge:
            parsed = form_text.read(judge, form)
    except GateGoneError as gone:
        return ProtectionTable((), (), str(gone))
    if parsed.problem:
        return ProtectionTable((), (), f"the form of p4 protect {parsed.problem}")
    texts = list(parsed.fields.get("protections", ()))
    lines: list[Protection] = []
    opaque: dict[str, int] = {}
    for text in texts:
        words = form_text.words(text.split("##")[0])
        if len(words) != _WORDS or words[1] not in ("user", "group"):
            return ProtectionTable((), (), f"a line is not understood: {text}")
        right, kind, name, host, path = words
        bits = RIGHTS.get(right) or opaque.setdefault(
            right, 1 << (_FIRST_OPAQUE_BIT + len(opaque))
        )
        is_exclusion = path.startswith("-")
        lines.append(
            Protection(kind == "group", name, host, bits, is_exclusion, path.removeprefix("-"))
        )
    return ProtectionTable(lines, texts)
