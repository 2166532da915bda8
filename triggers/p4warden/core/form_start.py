from __future__ import annotations

import re

_COMMENTS = r"(?:[ \t\r]*(?:#[^\n]*)?\n)*"


def without_text_before(form: str, field: str) -> str:
    """Return a form from p4d's own first comment on, or from its first field, such as `Client`.

    Before them stands what a form-out trigger printed, which may look like a form itself: so the
    last beginning counts. All later lines of p4d begin with a blank, or with another field's name.
    A text without a beginning stays as it is.
    """
    tag = rf"{re.escape(field)}:"
    header = rf"# An? [^\n]*Specification\.?[ \t\r]*\n{_COMMENTS}{tag}"
    found = _last(header, form) or _last(tag, form)
    return form[found.start() :] if found else form


def _last(beginning: str, form: str) -> re.Match[str] | None:
    found = None
    for found in re.finditer(rf"^{beginning}", form, re.MULTILINE | re.IGNORECASE):  # noqa: B007
        pass
    return found
