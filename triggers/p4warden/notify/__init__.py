"""Mails to owners of specs that a policy objects to, sent before the policy is enforced.

The letters are composed from the output of a census. Of p4warden this package imports only `core`
and the words about placeholders in `rules`.
"""

from __future__ import annotations

from typing import NamedTuple


class Objection(NamedTuple):
    """An objection of the policy to one spec, from the output of a census.

    Attributes:
        type: the spec's type: `client`, `stream`, ...
        name: the spec's name.
        rule: the name in the policy of the rule that the spec violates.
        detail: the problem, in the words of a refusal.
        lines: the proposed lines to write instead; empty without a proposal.
        keeps_files: whether these lines are a whole view that maps all files that the client has
            and that its view maps today.
        reason: the reason why no such view was found; empty if there is one, or none was searched.
        advice: the site's own lines of text for the rule's refusals; empty for none.
    """

    type: str
    name: str
    rule: str
    detail: str
    lines: tuple[str, ...]
    advice: str = ""
    keeps_files: bool = False
    reason: str = ""


class Letter(NamedTuple):
    """A letter to an owner of specs that the policy objects to, sent as a mail.

    Attributes:
        owner: the Perforce user name of the owner.
        address: the owner's mail address.
        subject: the subject of the mail, one line.
        text: the body of the mail.
    """

    owner: str
    address: str
    subject: str
    text: str
