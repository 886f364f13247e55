"""Which fake nodes there are: read from words such as `100x8:V100`. Pure, and quick to import for `corral up`.

Names are a function of the words alone, so that every start means the same nodes. Groups of one model count on.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from corral.errors import PermanentError

MOST_NODES = 5000
MOST_GPUS = 256
"""The most of either that is believed to be meant."""
HINT = "write COUNTxGPUS or COUNTxGPUS:MODEL, such as 100x8:V100, 4x0 or, for a mix, the flag several times"

_split = re.compile(r"([0-9]{1,9})[xX]([0-9]{1,9})(?::(.*))?").fullmatch
_is_model = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,38}[A-Za-z0-9])?").fullmatch


class FakeNode(NamedTuple):
    """One fake node: its name, its place among all of them, and its GPUs; without a model `model` is empty."""

    name: str
    number: int
    gpus: int
    model: str


class _Group(NamedTuple):
    size: int
    gpus: int
    model: str

    @property
    def family(self) -> str:
        """Returns the middle of its nodes' names."""
        return re.sub(r"[._]+", "-", self.model.lower()) or ("gpu" if self.gpus else "cpu")


def fleet_of(words: Sequence[str]) -> tuple[FakeNode, ...]:
    """Returns the nodes that the words of the flag mean, in order; raises a PermanentError for what means none."""
    groups = [_group(word) for word in words]
    if sum(group.size for group in groups) > MOST_NODES:
        raise _bad(" ".join(words), f"is more than {MOST_NODES} nodes")
    counted: dict[str, int] = {}
    nodes: list[FakeNode] = []
    for group in groups:
        first = counted.get(group.family, 0)
        counted[group.family] = first + group.size
        for index in range(first, first + group.size):
            nodes.append(FakeNode(f"fake-{group.family}-{index:03}", len(nodes), group.gpus, group.model))
    return tuple(nodes)


def _group(word: str) -> _Group:
    match = _split(word.strip())
    if match is None:
        raise _bad(word, "is not COUNTxGPUS[:MODEL]")
    group = _Group(int(match.group(1)), int(match.group(2)), match.group(3) or "")
    if group.size == 0:
        raise _bad(word, "asks for no node")
    if group.gpus > MOST_GPUS:
        raise _bad(word, f"gives a node more than {MOST_GPUS} GPUs")
    if match.group(3) is not None and not _is_model(group.model):
        raise _bad(
            word, f"names the model {group.model!r}, which is no label: 1 to 40 letters, digits, '.', '_' or '-'"
        )
    return group


def _bad(word: str, why: str) -> PermanentError:
    return PermanentError("bad-fake-nodes", f"--fake-nodes {word}: {why}", hint=HINT)
