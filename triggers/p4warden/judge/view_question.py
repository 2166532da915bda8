"""Questions to the checkpoint index about a form: files that its paths span, synced directories.

Rules judge the number of files; refusals propose the directories.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.judge.engine import max_files
from p4warden.rules.whole_view import include_lines

if TYPE_CHECKING:
    from p4warden.core.records import Event, Facts
    from p4warden.policy.compiled import Policy


class Question(NamedTuple):
    """A question to the checkpoint index for the number of files that depot paths span.

    Attributes:
        paths: the depot paths; of a form those of its include lines, in form order.
        max_files: the largest allowed number of files; above it the answer also names the widest
            lines and narrower directories, preferably with files that the client or user has.
        case_sensitive: whether the server distinguishes `A` from `a`.
        server_id: the server's `server.id`; None if unknown.
        client: the client whose form is saved; None for another form.
        user: the user who saves the form; None if unknown.
    """

    paths: tuple[str, ...]
    max_files: int
    case_sensitive: bool
    server_id: str | None = None
    client: str | None = None
    user: str | None = None


class UsedQuestion(NamedTuple):
    """A question to `p4warden-index` for directories of files that a client or user has synced.

    Attributes:
        max_files: the largest number of files below a directory on the server; None for no limit.
        case_sensitive: as in `Question`, and so are the remaining fields.
    """

    max_files: int | None
    case_sensitive: bool
    server_id: str | None = None
    client: str | None = None
    user: str | None = None


def question(policy: Policy, event: Event, facts: Facts) -> Question | None:
    """Return the question for the number of files that an event's form spans.

    None if no rule limits it, if the facts already contain it, or without a readable form that
    has include lines.
    """
    if event.form is None or event.type is None or event.form.problem or facts.spanned_files:
        return None
    at_most = max_files(policy, event, facts)
    if at_most is None:
        return None
    paths = tuple(line.path for line in include_lines(event.form, event.type))
    if not paths:
        return None
    client = event.name if event.type == "client" else None
    return Question(paths, at_most, facts.case_sensitive, facts.server_id, client, event.user)


def used_question(policy: Policy, event: Event, facts: Facts) -> UsedQuestion:
    """Return the index question for directories of files that an event's client or user synced."""
    at_most = max_files(policy, event, facts)
    client = event.name if event.type == "client" else None
    return UsedQuestion(at_most, facts.case_sensitive, facts.server_id, client, event.user)
