"""A policy file, checked: every problem in one run, and the policy when there is none."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from p4warden.policy import compiled, meaning, normal_form, proposal_conflicts, schema, source
from p4warden.policy.problems import Unreadable

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable

    from p4warden.policy.compiled import Policy
    from p4warden.policy.problems import Located, Problem
    from p4warden.policy.source import Source


MAX_PROBLEMS = 200
"""No one reads more, and finding the nearest known word for each takes time."""


class Checked(NamedTuple):
    """The result of checking a policy file.

    Attributes:
        policy: the policy, or None when there are problems.
        problems: the errors, in file order.
        warnings: the remarks that stop nothing, in file order.
        source: the file's content, None where it could not be read.
    """

    policy: Policy | None
    problems: tuple[Located, ...]
    warnings: tuple[Located, ...] = ()
    source: Source | None = None

    def locate(self, problems: Iterable[Problem]) -> list[Located]:
        """Return further problems with their places in the file, in its order."""
        return self.source.locate(problems) if self.source else []


def check_file(path: str, today: datetime.date) -> Checked:
    """Check a policy file; no content of it raises."""
    try:
        found = source.parse(source.read(path))
    except Unreadable as error:
        return Checked(None, (error.problem,))
    document = normal_form.normal(found.document)
    wrong = itertools.chain(found.problems, schema.problems(document), meaning.problems(document))
    problems = tuple(found.locate(itertools.islice(wrong, MAX_PROBLEMS)))
    doubts = meaning.warnings(document, today)
    if problems:
        return Checked(None, problems, tuple(found.locate(doubts)), found)
    policy = compiled.compile_policy(document, found.digest)
    doubts = itertools.chain(doubts, proposal_conflicts.doubts(policy))
    return Checked(policy, (), tuple(found.locate(doubts)), found)
