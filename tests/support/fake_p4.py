"""A fake P4Python connection, for questions whose answers a test chooses."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Words = tuple[str | bytes, ...]


class FakeP4:
    """`commands` are those that were run; `rows_of` gives the rows of each."""

    port, user = "ssl:perforce:1666", "p4admin"

    def __init__(self, rows_of: Callable[[Words], list[dict[str, Any]]]) -> None:
        self._rows_of = rows_of
        self._handler: Any = None
        self.commands: list[Words] = []
        self.messages: list[Any] = []
        self.is_raw = False

    @contextlib.contextmanager
    def saved_context(self, encoding: str) -> Iterator[None]:
        before, self.is_raw = self.is_raw, encoding == "raw"
        yield
        self.is_raw = before

    @contextlib.contextmanager
    def using_handler(self, handler: object) -> Iterator[None]:
        self._handler = handler
        yield
        self._handler = None

    def run(self, *words: str | bytes, **_settings: object) -> list[str]:
        """Pass the rows to the handler, which must take them; return no messages."""
        self.commands.append(words)
        for row in self._rows_of(words):
            assert self._handler.outputStat(row) == self._handler.HANDLED
        return []
