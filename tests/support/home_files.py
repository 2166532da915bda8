"""Contents of a home's `policy.json`, `facts.json` and `server.json`."""

from __future__ import annotations

import json
from typing import Any

from p4warden.core import facts
from p4warden.home.summed_file import summed


def policy_file(document: dict[str, Any] | str) -> bytes:
    """Return the content for a policy, given as a document or as its text."""
    return summed(document if isinstance(document, str) else json.dumps(document))


def facts_file(document: dict[str, Any] | str | bytes) -> bytes:
    """Return the content for facts, given as a document or as its text in any layout."""
    known = document if isinstance(document, dict) else json.loads(document)
    return summed(facts.to_text(facts.from_document(known)))


def account_file(port: str) -> bytes:
    """Return the content for a server at an address."""
    known = {"port": port, "user": "bob", "ticket_file": "", "environment": {}}
    return summed(json.dumps(known))
