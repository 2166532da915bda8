"""Stands in for the compiled package `rpds` in p4warden-prove.pyz, which runs on any platform.

It has what jsonschema and referencing use: collections that a change copies.
"""

from __future__ import annotations


class HashTrieMap(dict):
    """A dictionary whose changes return another one."""

    convert = classmethod(lambda cls, value: value if isinstance(value, cls) else cls(value))

    def __hash__(self) -> int:
        """Return a hash of the keys, because jsonschema's type checkers are hashed."""
        return hash(frozenset(self))

    def insert(self, key: object, value: object) -> HashTrieMap:
        """Return a map with this value, too."""
        return HashTrieMap({**self, key: value})

    def remove(self, key: object) -> HashTrieMap:
        """Return a map without a key.

        Raises:
            KeyError: there is no such key.
        """
        rest = HashTrieMap(self)
        del rest[key]
        return rest

    def update(self, *others: object, **values: object) -> HashTrieMap:
        """Return a map with the pairs of other maps, too."""
        whole = dict(self)
        for other in others:
            dict.update(whole, other)
        return HashTrieMap({**whole, **values})


class HashTrieSet(frozenset):
    """A set whose changes return another one."""

    def insert(self, value: object) -> HashTrieSet:
        """Return a set with this value, too."""
        return HashTrieSet({*self, value})

    def discard(self, value: object) -> HashTrieSet:
        """Return a set without this value."""
        return HashTrieSet(self - {value})

    def update(self, *others: object) -> HashTrieSet:
        """Return a set with the values of others, too."""
        return HashTrieSet(self.union(*others))


class List(tuple):
    """A list whose changes return another one."""

    __slots__ = ()

    def push_front(self, value: object) -> List:
        """Return a list that starts with this value."""
        return List((value, *self))
