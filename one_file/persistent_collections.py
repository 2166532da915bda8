# Stands in for the compiled package `rpds`: what jsonschema and referencing use.

from __future__ import annotations


class HashTrieMap(dict):
    convert = classmethod(lambda cls, value: value if isinstance(value, cls) else cls(value))

    def __hash__(self) -> int:
        """Needed because jsonschema's type checkers are hashed."""
        return hash(frozenset(self))

    def insert(self, key: object, value: object) -> HashTrieMap:
        return HashTrieMap({**self, key: value})

    def remove(self, key: object) -> HashTrieMap:
        """Raise KeyError if there is no such key."""
        rest = HashTrieMap(self)
        del rest[key]
        return rest

    def update(self, *others: object, **values: object) -> HashTrieMap:
        whole = dict(self)
        for other in others:
            dict.update(whole, other)
        return HashTrieMap({**whole, **values})


class HashTrieSet(frozenset):
    def insert(self, value: object) -> HashTrieSet:
        return HashTrieSet({*self, value})

    def discard(self, value: object) -> HashTrieSet:
        return HashTrieSet(self - {value})

    def update(self, *others: object) -> HashTrieSet:
        return HashTrieSet(self.union(*others))


class List(tuple):
    __slots__ = ()

    def push_front(self, value: object) -> List:
        return List((value, *self))
