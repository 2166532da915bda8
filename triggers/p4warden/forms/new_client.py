"""Whether a client's form, as it is about to be shown, is that of a new client.

A form that the server made up has no `Access:` date yet; one of a client that exists always has
it (P4 Server Administrator Guide's form-out scripts and the Helix Core SDP rely on it).
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p4warden.core.records import Form


def is_new(form: Form) -> bool:
    """Tell whether no client of the form's name is there yet."""
    return form.value("access") is None and form.value("update") is None
