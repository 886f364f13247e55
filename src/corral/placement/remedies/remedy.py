"""What a remedy is made of: parts, and the set of them that was tried."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from corral.placement.asks import Gang, Seat
from corral.placement.fleet import Fleet


class Part(msgspec.Struct, frozen=True, tag_field="kind", tag=True):
    """One change: to what is asked, to what there is, or to what may be used."""

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang as it would ask then."""
        return gang

    def carry_out(self, fleet: Fleet) -> None:
        """Changes the fleet, inside of a draft of the caller."""

    def lowered(self) -> "Iterator[Part]":
        """Yields this change one step smaller, in each way in which it can be and still is one."""
        return iter(())

    @property
    def topic(self) -> str:
        """Returns what it is about: two parts about the same never go together."""
        return type(self).__name__

    @property
    def price(self) -> float:
        """Returns how much it costs somebody; a GPU given up counts 1."""
        return 1.0

    def words(self) -> str:
        """Returns it as people say it, to follow "it would start": `with 2 more GPUs free on gpu-3`, `when bert ends`."""
        return f"with another {self.topic}"


Parts = tuple[Part, ...]


class Remedy(msgspec.Struct, frozen=True):
    """Changes that together would let a gang start: all of them are needed, and nothing beside them."""

    parts: Parts
    seats: tuple[Seat, ...]
    """Where the gang would go then."""

    @property
    def price(self) -> float:
        """Returns what all parts cost together."""
        return sum(part.price for part in self.parts)

    @property
    def sentence(self) -> str:
        """Returns all parts as people say them."""
        return joined([part.words() for part in self.parts])

    def document(self) -> dict[str, Any]:
        """Returns the remedy as data."""
        nodes = list(dict.fromkeys(seat.node for seat in self.seats))
        return {"sentence": self.sentence, "parts": [msgspec.to_builtins(part) for part in self.parts], "nodes": nodes}


def joined(words: Sequence[str]) -> str:
    """Returns words as a list in a sentence."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
