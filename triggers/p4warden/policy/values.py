"""Convert YAML nodes to plain values, with the line and column of each value."""

from __future__ import annotations

import re
from typing import Any

import yaml

from p4warden.policy.problems import Mark, Path, Problem, Unreadable

MAX_VALUES = 10_000
MAX_DEPTH = 20
_CORE_TAGS = {
    f"tag:yaml.org,2002:{name}"
    for name in "map seq str int float bool null timestamp merge value".split()
}
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?[0-9]{1,18}\.[0-9]{1,18}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def mark_of(mark: Any) -> Mark:
    """Convert one of PyYAML's two kinds of marks to a `Mark`."""
    return Mark(mark.line + 1, mark.column + 1)


class Builder:
    """Builds plain values from YAML nodes.

    Attributes:
        values: the position of each value.
        keys: the position of each key.
        problems: constructs that YAML allows and a policy does not.
    """

    def __init__(self, *, one_line: bool) -> None:
        """Create a builder; with `one_line` a text of several lines is a problem."""
        self.values: dict[Path, Mark] = {}
        self.keys: dict[Path, Mark] = {}
        self.problems: list[Problem] = []
        self._one_line = one_line
        self._built = 0

    def build(self, node: yaml.Node, path: Path) -> Any:
        """Return the node's value; a value repeated through an anchor is counted at each use.

        Raises:
            Unreadable: there are too many values, or they are nested too deep.
        """
        mark = mark_of(node.start_mark)
        self.values[path] = mark
        self._built += 1
        if self._built > MAX_VALUES or len(path) > MAX_DEPTH:
            raise Unreadable(f"over {MAX_VALUES} values (do anchors repeat themselves?)", mark)
        if node.tag not in _CORE_TAGS:
            self.problems.append(Problem(path, f"{node.tag} is a YAML tag (write a plain value)"))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*path, i)) for i, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for key, value in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
            here, mark = (*path, name), mark_of(key.start_mark)
            first = self.keys.setdefault(here, mark)
            if name in fields:
                text = f"is written twice, first in line {first.line} (keep one)"
                self.keys[here] = mark
                self.problems.append(Problem(here, text, key=True))
            fields[name] = self.build(value, here)
        return fields

    def _scalar(self, node: yaml.Node, path: Path) -> Any:
        text = str(node.value)
        # Only `advice` may have several lines, within the limits in `advice_text`.
        if self._one_line and path[-1:] != ("advice",) and _CONTROL.search(text):
            # A line end in a text would reach trigger lines, logs and refusals.
            problem = "holds a line end or another control character (write one line)"
            self.problems.append(Problem(path, problem))
        # The style of a plain scalar is None in PyYAML's Python parser and an empty text in its C
        # parser.
        plain = isinstance(node, yaml.ScalarNode) and not node.style
        return _plain(text) if plain else text


def _plain(text: str) -> Any:
    """Return the value of a plain scalar: a number or word by the rules of YAML 1.2."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
