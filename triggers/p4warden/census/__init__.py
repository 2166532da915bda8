"""The specs that a server has, judged as if each were saved once more as it is.

They come from the server itself, or offline from a checkpoint and the journals after it. Either
way every verdict is the evaluator's. Imports `judge` and the rooms below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from p4warden.core.records import Form

TYPES = ("client", "stream", "branch", "label", "depot")
"""The types of specs that a census looks at, as p4d names them."""


class Spec(NamedTuple):
    """A spec as the server has it.

    Attributes:
        type: one of `TYPES`.
        owner: who owns it, None for nobody.
        accessed_s: when it was used last, in seconds since the epoch; None where that is unknown.
    """

    type: str
    name: str
    owner: str | None
    accessed_s: int | None
    form: Form
