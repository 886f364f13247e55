"""What differs between the transcript that was recorded and the one that was played, told by step and path.

Numbered marks are compared by what they stand for: `<uid 3>` of one transcript may be `<uid 2>` of the other, if it is
so throughout the story. So one answer that lacks a uid is one difference and not a hundred.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corral.testing.contracts.kubernetes_api.playing import Transcript

ABSENT = "<absent>"
_MARK = re.compile(r"<[^<>]+ \d+>")


@dataclass(frozen=True)
class Finding:
    """One place where two transcripts differ."""

    step: int
    title: str
    path: str
    wanted: Any
    got: Any

    def __str__(self) -> str:
        return (
            f"step {self.step}, {self.title}\n  {self.path}\n    recorded: {self.wanted!r}\n    now:      {self.got!r}"
        )


def findings(wanted: Transcript, got: Transcript) -> list[Finding]:
    """Returns every difference; a transcript of another length is one as well."""
    found, comparison = [], _Comparison()
    for number, (old, new) in enumerate(zip(wanted, got, strict=False), start=1):
        if _outcome(old) != _outcome(new):
            found.append(Finding(number, old["step"], "outcome", _outcome(old, new), _outcome(new, old)))
            continue
        for path, left, right in comparison.differences("", old, new):
            found.append(Finding(number, old["step"], path, left, right))
    if len(wanted) != len(got):
        found.append(Finding(len(wanted), "the whole story", "steps", len(wanted), len(got)))
    return found


def _outcome(told: dict[str, Any], other: dict[str, Any] | None = None) -> list[Any]:
    """Returns the status and kind of an answer; where another answer has others, the rest cannot be compared."""
    body = told.get("body")
    kind = body.get("kind") if isinstance(body, dict) else type(body).__name__
    words = [body.get("message")] if other is not None and isinstance(body, dict) else []
    return [told.get("status"), kind, *words]


class _Comparison:
    """Two transcripts side by side, and which marks were found to stand for each other."""

    def __init__(self) -> None:
        self._pairs: dict[str, str] = {}
        self._taken: set[str] = set()

    def differences(self, path: str, wanted: Any, got: Any) -> Iterator[tuple[str, Any, Any]]:
        if isinstance(wanted, dict) and isinstance(got, dict):
            renamed = {self._renamed(key, got): key for key in wanted}
            for key in sorted(renamed.keys() | got.keys()):
                inner = f"{path}.{key}".lstrip(".")
                yield from self.differences(inner, wanted.get(renamed.get(key, ""), ABSENT), got.get(key, ABSENT))
        elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
            for index, (left, right) in enumerate(zip(wanted, got, strict=True)):
                yield from self.differences(f"{path}[{index}]", left, right)
        elif type(wanted) is not type(got) or not self._is_same(wanted, got):
            yield path, wanted, got

    def _renamed(self, key: str, others: dict[str, Any]) -> str:
        """Returns the key under which the other transcript has the same field; keys may contain marks as well."""
        if key in others or not _MARK.search(key):
            return key
        return next((other for other in others if self._is_same(key, other)), key)

    def _is_same(self, wanted: Any, got: Any) -> bool:
        if not isinstance(wanted, str) or "<" not in wanted:
            return bool(wanted == got)
        if _MARK.split(wanted) != _MARK.split(got):
            return False
        return all(self._stands_for(*pair) for pair in zip(_MARK.findall(wanted), _MARK.findall(got), strict=True))

    def _stands_for(self, left: str, right: str) -> bool:
        if left in self._pairs:
            return self._pairs[left] == right
        if left.rsplit(" ", 1)[0] != right.rsplit(" ", 1)[0] or right in self._taken:
            return False
        self._pairs[left] = right
        self._taken.add(right)
        return True
