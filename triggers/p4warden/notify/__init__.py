"""Mails that tell owners in advance which of their specs a policy will refuse.

Letters are derived from a census; addresses come from the server or a file. Imports only `core`.
"""

from __future__ import annotations

from typing import NamedTuple


class Objection(NamedTuple):
    """One spec that the policy objects to.

    Attributes:
        type: `client`, `stream`, ...
        name: the spec's name.
        rule: the rule's name in the policy.
        detail: the problem, as a refusal tells it.
        lines: the lines to write instead; none where there is no proposal.
        advice: the site's own text for the rule's refusals, or nothing.
    """

    type: str
    name: str
    rule: str
    detail: str
    lines: tuple[str, ...]
    advice: str = ""


class Letter(NamedTuple):
    """A letter to one owner, sent as a mail.

    Attributes:
        owner: the name of the Perforce user.
        address: the recipient.
        subject: the subject, one line.
        text: the body of the mail.
    """

    owner: str
    address: str
    subject: str
    text: str
