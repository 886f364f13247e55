"""Did you mean: the known word that is nearest to one that nobody knows."""

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """Returns the known word that a slip of the finger would explain, "" when there is none."""
    from difflib import get_close_matches  # only a command that fails pays for it

    words = sorted(set(known))
    beginning = [one for one in words if len(word) > 2 and one.startswith(word)]
    found = beginning[:1] if len(beginning) == 1 else get_close_matches(word.lower(), words, n=1, cutoff=0.7)
    return found[0] if found else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns the hint for a word that is not known, "" when nothing is near."""
    found = nearest(word, known)
    return f'did you mean "{found}"?' if found else ""
