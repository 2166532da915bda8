from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from p4warden.policy import compiled, meaning, normal_form, source, wording
from p4warden.policy.problems import Problem, UnreadablePolicyError
from p4warden.policy.wrong_values import NO_BREAK

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Iterator

    from p4warden.policy.compiled import Policy
    from p4warden.policy.problems import LocatedProblem
    from p4warden.policy.source import Source


MAX_PROBLEMS = 200
"""Maximum number of problems reported about a policy, because finding the nearest known word for
each problem takes time."""


class CheckedPolicy(NamedTuple):
    """The result of checking a policy file.

    Attributes:
        policy: the compiled policy, or None if there are problems.
        source: the parsed policy file; None if the file could not be read as YAML.
    """

    policy: Policy | None
    problems: tuple[LocatedProblem, ...]
    warnings: tuple[LocatedProblem, ...] = ()
    source: Source | None = None

    def locate(self, problems: Iterable[Problem]) -> list[LocatedProblem]:
        return self.source.locate(problems) if self.source else []


def check_file(path: str, today: datetime.date) -> CheckedPolicy:
    """Check a policy file; return problems as a result, without an exception for any content."""
    try:
        content = source.parse(source.read(path))
    except UnreadablePolicyError as error:
        return CheckedPolicy(None, (error.problem,))
    document = normal_form.normal(content.document)
    shape = _causes(content, wording.problems(document))
    all_problems = itertools.chain(content.problems, shape, meaning.problems(document))
    problems = tuple(dict.fromkeys(content.locate(itertools.islice(all_problems, MAX_PROBLEMS))))
    doubts = _doubts(meaning.warnings(document, today), problems)
    if problems:
        return CheckedPolicy(None, problems, tuple(content.locate(doubts)), content)
    policy = compiled.compile_policy(document, content.digest)
    return CheckedPolicy(policy, (), tuple(content.locate(doubts)), content)


def _causes(content: Source, problems: Iterable[Problem]) -> Iterator[Problem]:
    problem_paths = {problem.path for problem in content.problems if not problem.key}
    has_no_break = any(sign in str(path[-1]) for path in content.keys for sign in NO_BREAK)
    for problem in problems:
        is_empty = problem.text.startswith("the value is missing")
        if not is_empty or not (has_no_break or problem.path in problem_paths):
            yield problem


def _doubts(doubts: Iterable[Problem], problems: Iterable[LocatedProblem]) -> Iterator[Problem]:
    problem_paths = [problem.path for problem in problems]
    for doubt in doubts:
        within = any(path[: len(doubt.path)] == doubt.path for path in problem_paths)
        if doubt.path[-1:] != ("limits",) or not within:
            yield doubt
