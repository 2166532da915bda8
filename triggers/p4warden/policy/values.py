from __future__ import annotations

import re
from typing import Any

import yaml

from p4warden.policy.problems import Mark, Path, Problem, UnreadablePolicyError

MAX_VALUES = 10_000
MAX_DEPTH = 20
_COMMON_TAGS = "tag:yaml.org,2002:"
_CORE_TAGS = {
    f"{_COMMON_TAGS}{name}"
    for name in "map seq str int float bool null timestamp merge value".split()
}
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?[0-9]{1,18}\.[0-9]{1,18}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def mark_of(mark: Any) -> Mark:
    """Convert a position from PyYAML, which counts from 0, to a `Mark`, which counts from 1."""
    return Mark(mark.line + 1, mark.column + 1)


class Builder:
    def __init__(self, *, one_line: bool) -> None:
        self.values: dict[Path, Mark] = {}
        self.keys: dict[Path, Mark] = {}
        self.problems: list[Problem] = []
        self._one_line = one_line
        self._node_count = 0

    def build(self, node: yaml.Node, path: Path) -> Any:
        """Return a YAML node as a plain value, and record its position and problems.

        A value repeated through a YAML anchor counts at each use towards `MAX_VALUES`.

        Raises:
            UnreadablePolicyError: there are too many values, or they are nested too deep.
        """
        mark = mark_of(node.start_mark)
        self.values[path] = mark
        self._node_count += 1
        if self._node_count > MAX_VALUES:
            raise UnreadablePolicyError(
                f"over {MAX_VALUES} values (do anchors repeat themselves?)", mark
            )
        if len(path) > MAX_DEPTH:
            raise UnreadablePolicyError(
                f"nested more than {MAX_DEPTH} deep (do anchors contain themselves?)", mark
            )
        if node.tag not in _CORE_TAGS:
            text = f"the YAML tag {_tag_text(node.tag)} is not allowed here (write a plain value)"
            self.problems.append(Problem(path, text))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*path, i)) for i, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for key, value in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
            value_path, mark = (*path, name), mark_of(key.start_mark)
            first = self.keys.setdefault(value_path, mark)
            if name in fields:
                text = f"is written twice, first in line {first.line} (keep one)"
                self.keys[value_path] = mark
                self.problems.append(Problem(value_path, text, key=True))
            fields[name] = self.build(value, value_path)
        return fields

    def _scalar(self, node: yaml.Node, path: Path) -> Any:
        text = str(node.value)
        # Of a policy's texts only `advice` may have several lines, within the limits in
        # `advice_text`.
        if self._one_line and path[-1:] != ("advice",) and _CONTROL.search(text):
            # A policy's texts reach trigger lines, logs and refusals, where a line end would do
            # harm.
            problem = "holds a line end or another control character (write one line)"
            self.problems.append(Problem(path, problem))
        # For a plain YAML scalar, `style` is None in PyYAML's Python parser and "" in its C
        # parser.
        plain = isinstance(node, yaml.ScalarNode) and not node.style
        return _plain(text) if plain else text


def _tag_text(tag: str) -> str:
    if tag.startswith(_COMMON_TAGS):
        return f"!!{tag.removeprefix(_COMMON_TAGS)}"
    return tag if tag.startswith("!") else f"!<{tag}>"


def _plain(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
