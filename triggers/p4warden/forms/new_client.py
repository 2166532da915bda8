"""Tell whether a client form that p4d is about to display is that of a new client.

A form that the server made up has no `Access:` date yet; the form of an existing client always has
one (the form-out scripts of the P4 Server Administrator Guide and the Helix Core SDP rely on
that).
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p4warden.core.records import Form


def is_new(form: Form) -> bool:
    """Tell whether a form is that of a new client: it has neither an Access nor an Update date."""
    return form.value("access") is None and form.value("update") is None
