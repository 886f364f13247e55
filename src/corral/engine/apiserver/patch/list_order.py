"""The order of a list after a strategic merge.

Items of the patch stand in the patch's order (or that of its order directive), items that only the server has in the
server's order; where the two runs meet, the server's order decides and new items go first.
"""

from typing import Any

from corral.engine.apiserver.patch.go_values import printed
from corral.engine.apiserver.patch.refusals import unexpected


def rearranged(items: list[Any], order: list[Any], live: list[Any], merge_key: str) -> list[Any]:
    """Returns the items with those named in `order` in that order and the others in the order of `live`."""
    keys = [_identity(item, merge_key) for item in items]
    places = _places(order, merge_key)
    lived = _places(live, merge_key)
    named = [pair for pair in zip(keys, items, strict=True) if pair[0] in places]
    others = [pair for pair in zip(keys, items, strict=True) if pair[0] not in places]
    named.sort(key=lambda pair: places[pair[0]])
    others.sort(key=lambda pair: lived.get(pair[0], len(lived)))
    result: list[Any] = []
    for key, item in named:
        while others and key in lived and lived.get(others[0][0], len(lived)) < lived[key]:
            result.append(others.pop(0)[1])
        result.append(item)
    return result + [item for _, item in others]


def merge_key_of(item: Any, merge_key: str) -> Any:
    """Returns the value of the merge key; an item without it cannot be matched with anything."""
    if not isinstance(item, dict) or merge_key not in item:
        raise unexpected(f"map: {printed(item)} does not contain declared merge key: {merge_key}")
    return item[merge_key]


def _identity(item: Any, merge_key: str) -> Any:
    value = merge_key_of(item, merge_key) if merge_key else item
    # A list or map as merge key never matches another in the real server either; its print keeps it hashable.
    return printed(value) if isinstance(value, dict | list) else value


def _places(items: list[Any], merge_key: str) -> dict[Any, int]:
    places: dict[Any, int] = {}
    for place, item in enumerate(items):
        places.setdefault(_identity(item, merge_key), place)
    return places
