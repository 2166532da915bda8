"""YAML text -> plain values, with the line and column of every one of them.

PyYAML composes the nodes, safely and without building any object; the values are made here, so
that `off` stays a word and a date stays as it is written. A policy is a small file written by
hand: what is larger, deeper or grows through anchors is refused before it costs time.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from p4warden.policy.problems import Located, Mark, Path, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_FILE_BYTES = 256 * 1024
MAX_VALUES = 10_000
MAX_DEPTH = 20
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE_TAGS = {
    f"tag:yaml.org,2002:{name}"
    for name in "map seq str int float bool null timestamp merge value".split()
}
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?[0-9]{1,18}\.[0-9]{1,18}")
_START = Mark(1, 1)


class Unreadable(Exception):  # noqa: N818 - a fact about the file, not an error of ours
    """The file is no policy at all; `problem` says where and why."""

    def __init__(self, what: str, mark: Mark = _START) -> None:
        """Say what is wrong and where."""
        super().__init__(what)
        self.problem = Located(mark, (), what)


class Source(NamedTuple):
    """A policy file's content.

    Attributes:
        document: plain values: dict, list, str, int, float, bool, None.
        digest: SHA-256 of the file, in hex.
        problems: what YAML itself allows and a policy does not, such as a key written twice.
        values: the place of each value.
        keys: the place of each key.
    """

    document: Any
    digest: str
    problems: tuple[Problem, ...]
    values: dict[Path, Mark]
    keys: dict[Path, Mark]

    def locate(self, problems: Iterable[Problem]) -> list[Located]:
        """Return the problems with their places, in file order."""
        return sorted(Located(self._mark(p), p.path, p.what) for p in problems)

    def _mark(self, problem: Problem) -> Mark:
        if problem.key:
            return self.keys[problem.path]
        return self.values[problem.path]


def read(path: str) -> bytes:
    """Return a policy file's bytes.

    Raises:
        Unreadable: it cannot be opened, is no file, or is too large to be a policy.
    """
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123 - a descriptor
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable("this is no regular file (name the policy's YAML file)")
            content = file.read(MAX_FILE_BYTES + 1)
    except IsADirectoryError as error:
        raise Unreadable("this is a directory (name the policy's YAML file)") from error
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from error
    if len(content) > MAX_FILE_BYTES:
        raise Unreadable(f"the file is over {MAX_FILE_BYTES // 1024} KiB (is this a policy?)")
    return content


def parse(content: bytes) -> Source:
    """Read a policy's YAML.

    Raises:
        Unreadable: it is empty, no UTF-8, no YAML, too deep or grows too large.
    """
    text = _decode(content)
    try:
        _refuse_deep(text)
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        raise _not_yaml(error) from error
    if root is None:
        raise Unreadable("the policy is empty (start it with version: 1)")
    builder = _Builder()
    document = builder.build(root, ())
    digest = hashlib.sha256(content).hexdigest()
    return Source(document, digest, tuple(builder.problems), builder.values, builder.keys)


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        mark = Mark(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        raise Unreadable("this byte is no UTF-8 (save the file as UTF-8)", mark) from error


def _refuse_deep(text: str) -> None:
    """Stop at the first value that stands too deep, before anything recurses into it."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise Unreadable(f"nested over {MAX_DEPTH} deep", _mark(event.start_mark))


def _not_yaml(error: yaml.YAMLError) -> Unreadable:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error).splitlines()[0]
    return Unreadable(f"this is no YAML: {what}", _mark(mark) if mark else _START)


def _mark(mark: Any) -> Mark:
    return Mark(mark.line + 1, mark.column + 1)


class _Builder:
    """Makes plain values of nodes, and remembers where each came from."""

    def __init__(self) -> None:
        self.values: dict[Path, Mark] = {}
        self.keys: dict[Path, Mark] = {}
        self.problems: list[Problem] = []

    def build(self, node: yaml.Node, path: Path) -> Any:
        """Return the node's value; each value costs once more where an anchor repeats it."""
        mark = _mark(node.start_mark)
        self.values[path] = mark
        if len(self.values) > MAX_VALUES or len(path) > MAX_DEPTH:
            raise Unreadable(f"over {MAX_VALUES} values (do anchors repeat themselves?)", mark)
        if node.tag not in _CORE_TAGS:
            self.problems.append(Problem(path, f"{node.tag} is a tag (write a plain value)"))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*path, i)) for i, item in enumerate(node.value)]
        # PyYAML writes None for a plain scalar's style, its C loader an empty text.
        plain = isinstance(node, yaml.ScalarNode) and not node.style
        return _scalar(node.value, plain=plain)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for key, value in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
            here, mark = (*path, name), _mark(key.start_mark)
            first = self.keys.setdefault(here, mark)
            if name in fields:
                what = f"is written twice, first in line {first.line} (keep one)"
                self.keys[here] = mark
                self.problems.append(Problem(here, what, key=True))
            fields[name] = self.build(value, here)
        return fields


def _scalar(text: str, *, plain: bool) -> Any:
    """Return a scalar's value: what YAML 1.2 takes for a number or a word, not what 1.1 does."""
    if plain and text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if plain and _INTEGER.fullmatch(text):
        return int(text)
    if plain and _NUMBER.fullmatch(text):
        return float(text)
    return text
