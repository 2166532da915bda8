"""Tell whether a client form is that of a new client.

A form that the server made up has no `Access:` date yet; the form of an existing client always has
one (the form-out scripts of the P4 Server Administrator Guide and the Helix Core SDP rely on
that). In a form to be saved the user may have added or removed the dates, so there the index
decides, where there is one.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p4warden.core.records import Facts, Form


def is_new(form: Form) -> bool:
    """Tell whether a form is that of a new client: it has neither an Access nor an Update date."""
    return form.value("access") is None and form.value("update") is None


def is_saved_first(form: Form, facts: Facts) -> bool:
    """Tell whether a form to be saved is that of a new client, by the index if there is one."""
    exists = facts.client_exists()
    return is_new(form) if exists is None else not exists
