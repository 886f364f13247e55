"""Did you mean: the known word that is nearest to one that nobody knows."""

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """Returns the known word that a slip of the finger would explain, "" when there is none."""
    from difflib import get_close_matches  # only a command that fails pays for it

    words = sorted(set(known))
    longer = _longer(word, words)
    turned = [one for one in words if len(word) > 2 and sorted(one.lower()) == sorted(word.lower())]
    if len(longer) == 1 or turned:
        return (longer if len(longer) == 1 else turned)[0]
    # The dashes of flags are no likeness: `--lr` is not nearly `--color`.
    bare = {one.lstrip("-"): one for one in reversed(words)}
    close = get_close_matches(word.lstrip("-").lower(), sorted(bare), n=1, cutoff=0.7)
    return bare[close[0]] if close else ""


def _longer(word: str, words: Iterable[str]) -> list[str]:
    """Returns the words that begin so, without those that begin like another of them: a job's name begins those of its pods."""
    found: list[str] = []
    for one in words:
        if len(word) > 2 and one.startswith(word) and not (found and one.startswith(f"{found[-1]}-")):
            found.append(one)
    return found


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns the hint for a word that is not known, "" when nothing is near; of several that begin so it names three."""
    words = sorted(set(known))
    found = [one] if (one := nearest(word, words)) else _longer(word, words)[:3]
    quoted = " or ".join(f'"{one}"' for one in found)
    return f"did you mean {quoted}?" if found else ""


def did_you_mean_file(path: str, beside: Iterable[str]) -> str:
    """Returns the hint for a file that is not there, by the names of those in its folder; "" when nothing is near."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    names = set(beside)
    # Of files with the same ending only what stands before it tells them apart.
    alike = {one.removesuffix(dot + ending) for one in names if dot and one.endswith(dot + ending)}
    near = nearest(stem, alike) if stem else ""
    others = {one for one in names if not (dot and one.endswith(dot + ending))}
    found = f"{near}{dot}{ending}" if near else nearest(name, others) if name else ""
    return f'did you mean "{folder}{slash}{found}"?' if found else ""
