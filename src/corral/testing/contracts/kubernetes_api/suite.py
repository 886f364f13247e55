"""Every story of the suite, by the file in which its recording lies."""

from functools import cache

from corral.testing.contracts.kubernetes_api.matrix import matrix_stories
from corral.testing.contracts.kubernetes_api.story import Story, written_stories


@cache
def stories() -> dict[str, tuple[Story, ...]]:
    """Returns the stories that were written by hand and those of the matrix."""
    found = {**written_stories(), **matrix_stories()}
    names = [story.name for group in found.values() for story in group]
    double = {name for name in names if names.count(name) > 1}
    if double:
        raise ValueError(f"two stories have the same name: {', '.join(sorted(double))}")
    return found
