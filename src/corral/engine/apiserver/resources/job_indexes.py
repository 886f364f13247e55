"""Sets of completion indexes in their written form, such as `1,3-5,7`: increasing, without overlap."""

from collections.abc import Iterator


class _IndexError(ValueError):
    """A text is no set of indexes; the message is the sentence of kube-apiserver."""


def count_indexes(text: str, completions: int) -> tuple[int, str]:
    """Returns how many indexes a text names, and what is wrong with it ("" when nothing is)."""
    total, last = 0, None
    try:
        for start, end in _intervals(text, completions):
            if last is not None and last >= start:
                raise _IndexError(f"non-increasing order, previous: {last}, current: {start}")
            total, last = total + end - start + 1, end
    except _IndexError as fault:
        return 0, str(fault)
    return total, ""


def overlap(completed: str, failed: str, completions: int) -> str:
    """Returns what is wrong when an index is in both of two (valid) sets, "" otherwise."""
    try:
        done, lost = list(_intervals(completed, completions)), list(_intervals(failed, completions))
    except _IndexError:
        return ""
    for start, end in done:
        for first, last in lost:
            if start <= last and first <= end:
                return f"failedIndexes and completedIndexes overlap at index: {max(start, first)}"
    return ""


def _intervals(text: str, completions: int) -> Iterator[tuple[int, int]]:
    for interval in text.split(",") if text else ():
        limits = interval.split("-")
        if len(limits) > 2:
            rule = "violates the requirement that an index interval can have at most two parts separated by '-'"
            raise _IndexError(f'the fragment "{interval}" {rule}')
        bounds = [_index(limit, completions) for limit in limits]
        if len(bounds) > 1 and bounds[0] >= bounds[1]:
            raise _IndexError(f"non-increasing order, previous: {bounds[0]}, current: {bounds[1]}")
        yield bounds[0], bounds[-1]


def _index(text: str, completions: int) -> int:
    if not (text.isascii() and text.removeprefix("+").isdigit()) or len(text) > 18:
        raise _IndexError(f'cannot convert string to integer for index: "{text}"')
    if int(text) >= completions:
        raise _IndexError(f'too large index: "{text}"')
    return int(text)
