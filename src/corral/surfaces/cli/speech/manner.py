"""How this process speaks: what the words of its command line say about errors and questions.

An error may have to be told before any option was read, and questions are asked far from the command; so this is one value
of the process, and not handed from function to function.
"""

from collections.abc import Sequence


class Manner:
    """What was asked for."""

    debug = False
    """Whether requests and tracebacks are shown."""
    no_input = False
    """Whether questions are refused."""
    color = ""
    """When to colour: auto, always or never; "" as long as nobody has said it."""
    json_errors = False
    """Whether errors are objects."""
    completing = False
    """Whether a shell asks what may be typed, and nothing else may happen."""

    def begin(self, words: Sequence[str]) -> None:
        """Forgets what an earlier command line said, and reads what must be known before the options are."""
        self.debug = self.no_input = self.completing = False
        self.color = ""
        self.json_errors = _asks_for_json(words)


def _asks_for_json(words: Sequence[str]) -> bool:
    """Whether a command line asks for JSON; words behind `--`, and behind the script of `run`, belong to somebody else."""
    own = list(words[: words.index("--")] if "--" in words else words)
    scripts = [place for place, word in enumerate(own) if word.endswith(".py")]
    own = own[: scripts[0]] if scripts and "run" in own[: scripts[0]] else own
    return any(
        word in ("-ojson", "-o=json", "--output=json")
        or (word in ("-o", "--output") and own[at + 1 : at + 2] == ["json"])
        for at, word in enumerate(own)
    )


MANNER = Manner()
