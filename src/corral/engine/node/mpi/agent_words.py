"""Reads the command lines of `kubectl exec` and `ssh`, as MPI launchers write them. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

_SSH_WITH_VALUE = frozenset("BbcDEeFIiJLlmOopQRSWw")
"""The letters of ssh's options that take a value, in the same word or in the next."""

_KUBECTL_SWITCHES = frozenset(("-i", "-t", "-q", "-it", "-ti", "--stdin", "--tty", "--quiet"))
_KUBECTL_WITH_VALUE = {
    "-n": "namespace",
    "--namespace": "namespace",
    "-c": "container",
    "--container": "container",
}


class Order(NamedTuple):
    """A command for a pod."""

    target: str
    """The name of a pod for kubectl, a host name for ssh."""
    command: tuple[str, ...]
    namespace: str = ""
    container: str = ""
    reads_input: bool = True


def kubectl_order(words: Sequence[str]) -> Order | None:
    """Returns what `kubectl exec` is asked to do; None for everything else, which is not ours to answer."""
    left = list(words)
    given = {"namespace": "", "container": ""}
    names: list[str] = []
    while left:
        word = left.pop(0)
        option, has_value, value = word.partition("=")
        if word == "--":
            break
        if option in _KUBECTL_WITH_VALUE:
            given[_KUBECTL_WITH_VALUE[option]] = value if has_value else _next(left)
        elif word[:2] in ("-n", "-c") and len(word) > 2 and not word.startswith("--"):
            given[_KUBECTL_WITH_VALUE[word[:2]]] = word[2:]
        elif word.startswith("-"):
            if option not in _KUBECTL_SWITCHES:
                return None
        else:
            names.append(word)
            if len(names) == 3:
                # The old form without `--`: everything from here on is the command.
                left.insert(0, names.pop())
                break
    if len(names) != 2 or names[0] != "exec" or not left:
        return None
    kind, slash, name = names[1].rpartition("/")
    if slash and kind not in ("pod", "pods", "po"):
        return None
    return Order(name, tuple(left), given["namespace"], given["container"])


def ssh_order(words: Sequence[str]) -> Order | None:
    """Returns what `ssh` is asked to do; None when no host is named. Options may stand before the host and after it."""
    left, reads_input = list(words), True
    host = ""
    while left:
        word = left[0]
        if word == "--" and not host:
            left.pop(0)
            host = _next(left)
            break
        if word.startswith("-") and len(word) > 1:
            left.pop(0)
            for place, letter in enumerate(word[1:], start=2):
                reads_input = reads_input and letter != "n"
                if letter in _SSH_WITH_VALUE:
                    if place == len(word):
                        _next(left)
                    break
        elif host:
            break
        else:
            host = left.pop(0)
    if left[:1] == ["--"]:
        left.pop(0)
    return Order(host, tuple(left), reads_input=reads_input) if host else None


def _next(left: list[str]) -> str:
    return left.pop(0) if left else ""
