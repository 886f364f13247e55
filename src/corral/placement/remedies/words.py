"""Amounts in the sentences of remedies, and what they are worth."""

from collections.abc import Sequence

from corral.placement.asks import Neighbours
from corral.placement.fleet.neighbours import EVEN, TOGETHER

_GIB = 1 << 30


def gpus_words(number: float, *, more: bool = False) -> str:
    """Returns a number of GPUs: `1 GPU`, `2 more GPUs`, `0.5 GPUs`."""
    return f"{number:g} {'more ' if more else ''}GPU{'' if number == 1 else 's'}"


def amount_words(resource: str, amount: int, *, more: bool = False) -> str:
    """Returns an amount of another resource: `4 more CPUs`, `16 GiB more memory`, `2 rdma/hca`."""
    extra = "more " if more else ""
    if resource == "cpu":
        return f"{amount / 1000:g} {extra}CPU{'' if amount == 1000 else 's'}"
    if resource == "memory":
        return f"{size_words(amount)} {'more ' if more else 'of '}memory"
    if resource == "pods":
        return f"room for {amount} {extra}pod{'' if amount == 1 else 's'}"
    return f"{amount} {extra}{resource}"


def size_words(amount: int, *, down: bool = False) -> str:
    """Returns an amount of memory, rounded up to what is shown, or down."""
    for unit, length in (("TiB", 1 << 40), ("GiB", _GIB), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if amount >= length:
            tenths = amount * 10 // length if down else -(-amount * 10 // length)
            return f"{tenths / 10:g} {unit}"
    return f"{amount} bytes"


def price_of(resource: str, amount: int) -> float:
    """Returns what an amount is worth in GPUs: 16 CPUs or 128 GiB go with a GPU in most machines."""
    if resource == "cpu":
        return 0.1 + amount / 16_000
    if resource == "memory":
        return 0.1 + amount / (128 * _GIB)
    return 0.1 + 0.1 * amount


def wish_words(one: Neighbours) -> str:
    """Returns which neighbours are wished for: `apart from other pods within one zone`."""
    where = f"within one {one.level}"
    if one.kind == EVEN:
        return f"spread evenly over every {one.level}"
    return f"together with other pods {where}" if one.kind == TOGETHER else f"apart from other pods {where}"


def listed(words: Sequence[str], most: int = 3) -> str:
    """Returns words as a list in a sentence; of many only the first."""
    rest = len(words) - most
    if rest > 0:
        return f"{', '.join(words[:most])} and {rest} more"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
