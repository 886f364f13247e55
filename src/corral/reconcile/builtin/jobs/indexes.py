"""Sets of completion indexes as the API writes them: `0,2-5,7`."""

from collections.abc import Iterable


def parsed(text: str | None, limit: int) -> frozenset[int]:
    """Returns the indexes below `limit` that a text lists; what is not understood is left out."""
    found: set[int] = set()
    for part in (text or "").split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last.isdecimal() or not last):
            found.update(range(int(first), min(int(last or first), limit - 1) + 1))
    return frozenset(index for index in found if index < limit)


def written(indexes: Iterable[int]) -> str:
    """Returns the shortest text: runs of three and more as `first-last`."""
    parts: list[str] = []
    run: list[int] = []
    for index in [*sorted(set(indexes)), None]:
        if run and (index is None or index != run[-1] + 1):
            parts += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else [str(one) for one in run]
            run = []
        if index is not None:
            run.append(index)
    return ",".join(parts)
