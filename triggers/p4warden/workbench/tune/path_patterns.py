"""Which paths a pattern with wildcards matches, compared with those of others.

`...` matches any characters, `*` and `%%1` any but a slash (p4 help views).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TOKEN = re.compile(r"\.\.\.|\*|%%[0-9]|.", re.DOTALL)
_DOTS, _STAR = "...", "*"
_MOST_STATES = 20_000
_OTHER = "\0"


def merged(one: str, other: str) -> str | None:
    """Return one pattern for exactly the paths that two patterns match together, or None."""
    for pattern in (one, other, *_with_dots(one), *_with_dots(other)):
        is_wider = covers([pattern], one) and covers([pattern], other)
        if is_wider and covers([one, other], pattern):
            return pattern
    return None


def covers(outer: Sequence[str], inner: str) -> bool:
    """Tell whether some pattern of `outer` matches each path of `inner`; False if in doubt."""
    tokens, inner_tokens = [_tokens(one) for one in outer], _tokens(inner)
    letters = {
        token for one in [*tokens, inner_tokens] for token in one if token not in (_DOTS, _STAR)
    }
    alphabet = sorted(letters | {"/", _OTHER})
    start = (0, tuple(_closure(one, {0}) for one in tokens))
    seen, new = {start}, [start]
    while new:
        place, states = new.pop()
        if place == len(inner_tokens) and not any(
            len(one) in state for one, state in zip(tokens, states, strict=True)
        ):
            return False
        for at, letter in _moves(inner_tokens, place, alphabet):
            following = states
            if letter is not None:
                pairs = zip(tokens, states, strict=True)
                following = tuple(_step(one, state, letter) for one, state in pairs)
            if (at, following) not in seen:
                seen.add((at, following))
                new.append((at, following))
        if len(seen) > _MOST_STATES:
            return False
    return True


def wildcard_count(pattern: str) -> int:
    """Count the wildcards of a pattern."""
    return sum(token in (_DOTS, _STAR) for token in _tokens(pattern))


def _with_dots(pattern: str) -> list[str]:
    """Return the pattern cut before each wildcard, with `...` in its place."""
    tokens = _TOKEN.findall(pattern)
    places = [place for place, token in enumerate(tokens) if len(token) > 1 or token == _STAR]
    return ["".join([*tokens[:place], _DOTS]) for place in places]


def _tokens(pattern: str) -> list[str]:
    return [_STAR if token.startswith("%%") else token for token in _TOKEN.findall(pattern)]


def _moves(
    tokens: Sequence[str], place: int, alphabet: Iterable[str]
) -> list[tuple[int, str | None]]:
    if place == len(tokens):
        return []
    token = tokens[place]
    if token not in (_DOTS, _STAR):
        return [(place + 1, token)]
    letters = [letter for letter in alphabet if token == _DOTS or letter != "/"]
    return [(place + 1, None), *((place, letter) for letter in letters)]


def _step(tokens: Sequence[str], state: frozenset[int], letter: str) -> frozenset[int]:
    found = set()
    for place in state:
        if place == len(tokens):
            continue
        token = tokens[place]
        if token == letter:
            found.add(place + 1)
        if token == _DOTS or (token == _STAR and letter != "/"):
            found.add(place)
    return _closure(tokens, found)


def _closure(tokens: Sequence[str], places: set[int]) -> frozenset[int]:
    found = set(places)
    for place in places:
        at = place
        while at < len(tokens) and tokens[at] in (_DOTS, _STAR):
            at += 1
            found.add(at)
    return frozenset(found)
