"""Read the type of a depot (local, stream ...) from its form."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.forms.depot_path import split_words

if TYPE_CHECKING:
    from p4warden.core.records import Form


def type_of(form: Form | None) -> str:
    """Return a depot's type in lower case; `local` without one, as p4d does (`p4 help depot`)."""
    value = form.value("type") if form else None
    return split_words(value)[0].lower() if value else "local"
