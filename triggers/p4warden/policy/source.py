"""Read a policy's YAML as plain values, and record line and column of each key and value.

PyYAML only parses the text to nodes; `values` builds the values, so that `off` stays a word and a
date stays as written. A policy is a small file written by hand: a file that is too large or nested
too deep, or has too many values through anchors, is rejected.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from p4warden.core.shipped_yaml import LOADER
from p4warden.policy import schema, yaml_problems
from p4warden.policy.problems import LocatedProblem, Mark, Path, Problem, UnreadablePolicyError
from p4warden.policy.values import MAX_DEPTH, Builder, mark_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_COMMENT = re.compile(r"\s+(#\w[^,\]}]*)")
MAX_FILE_BYTES = 256 * 1024
_TOO_DEEP = f"nested more than {MAX_DEPTH} deep"
_EMPTY_POLICY = "the policy is empty (start it with version: 1)"


class Source(NamedTuple):
    """The content of a policy file with the positions of its keys and values.

    Attributes:
        document: plain values: dict, list, str, int, float, bool, None.
        digest: SHA-256 of the file, in hex.
        problems: errors of notation that YAML allows and a policy does not, such as a repeated
            key.
    """

    document: Any
    digest: str
    problems: tuple[Problem, ...]
    values: dict[Path, Mark]
    keys: dict[Path, Mark]

    def locate(self, problems: Iterable[Problem]) -> list[LocatedProblem]:
        located_problems = (LocatedProblem(self._mark(p), p.path, p.text) for p in problems)
        return sorted(located_problems, key=lambda problem: problem.mark)

    def _mark(self, problem: Problem) -> Mark:
        return (self.keys if problem.key else self.values)[problem.path]


def read(path: str) -> bytes:
    """Return the bytes of a policy file.

    Raises:
        UnreadablePolicyError: the file cannot be read, is not a regular file, or is too large for
            a policy.
    """
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123 - a descriptor
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnreadablePolicyError("not a regular file (specify the policy's YAML file)")
            content = file.read(MAX_FILE_BYTES + 1)
    except IsADirectoryError as error:
        raise UnreadablePolicyError(
            "this is a directory (specify the policy's YAML file)"
        ) from error
    except OSError as error:
        raise UnreadablePolicyError(f"cannot be read: {error.strerror}") from error
    if len(content) > MAX_FILE_BYTES:
        raise UnreadablePolicyError(
            f"the file is over {MAX_FILE_BYTES // 1024} KiB (is this a policy?)"
        )
    return content


def parse(content: bytes, *, one_line: bool = True, if_empty: str = _EMPTY_POLICY) -> Source:
    """Parse the YAML of a policy file, or of a file of test cases.

    Args:
        content: the bytes of the file.
        one_line: whether a line end or other control character in a text, except `advice`, is
            reported as a problem.
        if_empty: the message about a file without any value.

    Raises:
        UnreadablePolicyError: the text is empty, not UTF-8, not YAML, too deep, or has too many
            values.
    """
    text = _decode(content)
    try:
        _refuse_deep(text)
        root = yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError as error:
        raise _not_yaml(error, text) from error
    if root is None:
        raise UnreadablePolicyError(if_empty)
    builder = Builder(one_line=one_line)
    document = builder.build(root, ())
    problems = (*builder.problems, *_hidden(text, builder.values))
    digest = hashlib.sha256(content).hexdigest()
    return Source(document, digest, problems, builder.values, builder.keys)


def _hidden(text: str, values: dict[Path, Mark]) -> Iterator[Problem]:
    lines = text.splitlines()
    for path, mark in values.items():
        line = lines[mark.line - 1 : mark.line]
        match = _COMMENT.match(line[0], mark.column - 1) if line else None
        if match:
            yield Problem(path, f'# begins a comment in YAML (quote it: write "{match[1]}")')


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        mark = Mark(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        raise UnreadablePolicyError(
            "this byte is not UTF-8 (save the file as UTF-8)", mark
        ) from error


def _refuse_deep(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise UnreadablePolicyError(_TOO_DEEP, mark_of(event.start_mark))


def _not_yaml(error: yaml.YAMLError, text: str) -> UnreadablePolicyError:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    if mark is None:
        return UnreadablePolicyError(f"invalid YAML: {problem}")
    if (
        "nesting depth" in problem
    ):  # libyaml's own limit, which it can reach before its first event
        return UnreadablePolicyError(_TOO_DEEP, mark_of(mark))
    start_mark = getattr(error, "context_mark", None)
    bad = yaml_problems.BadText(
        text.splitlines(),
        mark_of(mark),
        problem,
        mark_of(start_mark) if start_mark else None,
        _known_keys(),
    )
    place, text_about = yaml_problems.explained(bad) or (bad.mark, f"invalid YAML: {problem}")
    return UnreadablePolicyError(text_about, place)


@functools.cache
def _known_keys() -> frozenset[str]:
    return frozenset(_keys_within(schema.schema()))


def _keys_within(part: Any) -> Iterator[str]:
    """Yield every policy key in a part of the policy's JSON schema, nested keys included."""
    if isinstance(part, dict):
        properties = part.get("properties")
        yield from properties if isinstance(properties, dict) else ()
        for value in part.values():
            yield from _keys_within(value)
    elif isinstance(part, list):
        for entry in part:
            yield from _keys_within(entry)
