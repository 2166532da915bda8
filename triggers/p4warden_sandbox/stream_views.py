# Simplified rules of `p4 help stream`. Not supported, unlike on a real server: for example,
# components, task streams, and changelist numbers after import paths.

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.words import join_words, split_words

if TYPE_CHECKING:
    from p4warden_sandbox.specs import Spec
    from p4warden_sandbox.store import Store

_IMPORTS = frozenset({"import", "import+", "import&"})


class _Path(NamedTuple):
    """`source` is a depot path, None if excluded; `target` is the path in a client."""

    source: str | None
    target: str


def client_view(store: Store, stream: str, client: str) -> list[str]:
    """Return the lines of the View field for a client of the given stream."""
    lines = []
    spec = store.find("stream", stream)
    moved = [split_words(line) for line in spec.lines("Remapped")] if spec else []
    ignored = spec.lines("Ignored") if spec else []
    for path in _paths(store, stream):
        target = _remapped(path.target, moved)
        flag = "" if path.source else "-"
        source = path.source or f"{stream}/{path.target}"
        lines.append(join_words([f"{flag}{source}", f"//{client}/{target}"]))
    lines += [_ignoring(stream, client, path) for path in ignored]
    return lines


def _paths(store: Store, stream: str) -> list[_Path]:
    spec = store.find("stream", stream)
    if spec is None:
        return []
    own = [_own_path(stream, split_words(line)) for line in spec.lines("Paths")]
    return [*_inherited(store, spec, stream), *own]


def _own_path(stream: str, words: list[str]) -> _Path:
    kind, target, *source = words
    if kind == "exclude":
        return _Path(None, target)
    if kind in _IMPORTS and source:
        return _Path(source[0].split("@", 1)[0], target)
    return _Path(f"{stream}/{target}", target)


def _inherited(store: Store, spec: Spec, stream: str) -> list[_Path]:
    """A parent's own files become the child's; imported files keep their depot path."""
    parent = spec.get("Parent")
    if spec.get("Type") == "mainline" or spec.get("ParentView") == "noinherit" or parent == "none":
        return []
    paths = [path for path in _paths(store, parent) if path.target != "..."]
    return [
        _Path(path.source.replace(f"{parent}/", f"{stream}/", 1), path.target)
        if path.source
        else path
        for path in paths
    ]


def _remapped(target: str, moved: list[list[str]]) -> str:
    return next((new for old, new in moved if old == target), target)


def _ignoring(stream: str, client: str, path: str) -> str:
    return join_words([f"-{stream}/{path}", f"//{client}/{path}"])
