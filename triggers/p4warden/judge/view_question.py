"""The question to the index before a form can be judged, and the answer as a fact."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.judge.engine import max_files
from p4warden.rules.whole_view import spanning

if TYPE_CHECKING:
    from p4warden.core.records import Event, Facts
    from p4warden.policy.compiled import Policy


class Question(NamedTuple):
    """The files that depot paths span are asked for.

    Attributes:
        paths: those of the form's include lines, in form order.
        at_most: how many files they may span; where they span more, the widest lines matter.
        case_sensitive: whether the server tells `A` from `a`.
        server_id: the server's `server.id`; None where it is not known.
    """

    paths: tuple[str, ...]
    at_most: int
    case_sensitive: bool
    server_id: str | None = None


def question(policy: Policy, event: Event, facts: Facts) -> Question | None:
    """Return the question; None where no rule needs the answer, or the facts have it."""
    if event.form is None or event.type is None or event.form.problem or facts.spanned:
        return None
    at_most = max_files(policy, event, facts)
    if at_most is None:
        return None
    paths = tuple(mapped.path for mapped in spanning(event.form, event.type))
    if not paths:
        return None
    return Question(paths, at_most, facts.case_sensitive, facts.server_id)
