"""Which words are coloured: green what is done, yellow what waits, red what failed. None needs its colour to be understood."""

from typing import Final

_GREEN, _YELLOW, _RED = 32, 33, 31
_COLOURS: Final = {
    **dict.fromkeys(("SUCCEEDED", "Succeeded", "Completed"), _GREEN),
    **dict.fromkeys(("PENDING", "QUEUING", "SUSPENDED", "Pending", "ContainerCreating", "Terminating"), _YELLOW),
    **dict.fromkeys(("FAILED", "Failed", "Error", "OOMKilled", "CrashLoopBackOff", "Unknown", "notReady"), _RED),
}
_BAD_ENDINGS: Final = ("BackOff", "Error", "ErrImagePull", "Invalid", "InvalidImageName")


def painted(word: str) -> str:
    """Returns a word in its colour; most have none."""
    colour = _COLOURS.get(word) or (_RED if word.endswith(_BAD_ENDINGS) and " " not in word else None)
    return word if colour is None else f"\x1b[{colour}m{word}\x1b[0m"
