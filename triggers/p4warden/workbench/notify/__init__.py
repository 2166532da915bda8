"""Letters to owners of specs before a policy is enforced, and to users of ended commands.

Imports only `core`.
"""

from __future__ import annotations

from typing import NamedTuple


class Objection(NamedTuple):
    type: str  # `client`, `stream`, ...
    name: str
    rule: str  # its name in the policy
    detail: str  # in the words of a refusal
    lines: tuple[str, ...]  # to write instead
    choice: tuple[str, ...]  # sentences about the names to write in `lines`
    advice: str  # the site's own text
    keeps_files: bool  # `lines` keep the files that the client has and its view maps
    outside_count: int  # files that the client has and its view does not map
    leaving_count: int  # files that its view maps and `lines` do not, as nobody used them
    reason: str  # why no such view was found, or empty
    field: str  # of the client form, with `lines` that keep files


class Letter(NamedTuple):
    owner: str  # user name
    address: str
    subject: str
    text: str
