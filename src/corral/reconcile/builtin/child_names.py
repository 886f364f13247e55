"""Names of children that are alike: a fixed sequence for each owner, so that a repeated create cannot make a second.

The n-th name depends only on the owner's uid and on n. Names that are taken, or were until recently, are passed over.
"""

import hashlib
from collections.abc import Container, Iterator

_SIGNS = "bcdfghjklmnpqrstvwxz2456789"
_LONGEST = 253
_SUFFIX = 5


def name_sequence(prefix: str, owner_uid: str, taken: Container[str]) -> Iterator[str]:
    """Yields free names `prefix` + five signs, without end."""
    stem = prefix[: _LONGEST - _SUFFIX]
    number = 0
    while True:
        name = stem + scrambled(f"{owner_uid}/{prefix}/{number}", _SUFFIX)
        number += 1
        if name not in taken:
            yield name


def scrambled(text: str, length: int) -> str:
    """Returns so many signs that depend on the whole text and form no words."""
    number = int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    signs = []
    for _ in range(length):
        number, index = divmod(number, len(_SIGNS))
        signs.append(_SIGNS[index])
    return "".join(signs)
