"""Terms about lists and maps: which of their items, under which index, in which order."""

import json
from typing import Any

import msgspec

from corral.kinds.training.validation.terms import Scope, Term

MOST_ITEMS = 64
"""How many items of a list have their index looked at; CEL of Kubernetes 1.30 cannot count further by itself."""


class Chosen(msgspec.Struct, frozen=True):
    """The items of a list (or keys of a map) for which a condition holds, under a name."""

    of: Term
    name: str
    when: Term

    def value(self, scope: Scope) -> list[Any]:
        """Returns them in the order of the list."""
        inner, found = dict(scope), []
        for item in self.of.value(scope):
            inner[self.name] = item
            if self.when.value(inner):
                found.append(item)
        return found

    def cel(self) -> str:
        """Returns CEL's `filter`."""
        return f"{self.of.cel()}.filter({self.name}, {self.when.cel()})"


class Ordered(msgspec.Struct, frozen=True):
    """The first few of a list of different texts, in alphabetical order; CEL meets the keys of a map in any order."""

    of: Term
    most: int = 8

    def value(self, scope: Scope) -> list[str]:
        """Returns the sorted texts."""
        return sorted(self.of.value(scope))[: self.most]

    def cel(self) -> str:
        """Returns for each place the text that has so many before it; CEL of Kubernetes 1.30 cannot sort."""
        places = json.dumps(list(range(self.most)))
        rank = "all.filter(before, before < one).size() == place"
        found = f"{places}.filter(place, place < all.size()).map(place, all.filter(one, {rank})[0])"
        return f"[{self.of.cel()}].map(all, {found})[0]"


class Spelled(msgspec.Struct, frozen=True):
    """The keys of a map that mean one of some words in any case: one for each word, in the order of the words."""

    of: Term
    words: tuple[str, ...]

    def value(self, scope: Scope) -> list[str]:
        """Returns the keys; where two mean the same word, the one that sorts first."""
        keys = self.of.value(scope)
        found = ([key for key in keys if key.lower() == word.lower()] for word in self.words)
        return [min(spelled) for spelled in found if spelled]

    def cel(self) -> str:
        """Returns the keys by the words in lower case."""
        words = json.dumps([word.lower() for word in self.words])
        spelled = f"{words}.map(word, {self.of.cel()}.filter(key, key.lowerAscii() == word))"
        return f"{spelled}.filter(found, found.size() > 0).map(found, found.min())"


class Before(msgspec.Struct, frozen=True):
    """The indexes before one."""

    index: Term

    def value(self, scope: Scope) -> range:
        """Returns them from 0."""
        return range(self.index.value(scope))

    def cel(self) -> str:
        """Returns the smaller ones of all indexes that are looked at."""
        return f"{json.dumps(list(range(MOST_ITEMS)))}.filter(before, before < {self.index.cel()})"


class Entry(msgspec.Struct, frozen=True):
    """What a map or a list holds under a key or an index that is there."""

    of: Term
    key: Term

    def value(self, scope: Scope) -> Any:
        """Returns the entry."""
        return self.of.value(scope)[self.key.value(scope)]

    def cel(self) -> str:
        """Returns CEL's index."""
        return f"{self.of.cel()}[{self.key.cel()}]"
