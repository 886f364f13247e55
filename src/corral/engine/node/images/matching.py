"""Which mapping counts for an image: the one whose pattern has most literal text, and of equals the later one.

A pattern is a shell-style glob of the whole name. The name may also be met without `docker.io/`, without
`docker.io/library/`, without its digest and without its tag, since manifests write them or leave them out.
"""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from corral.engine.node.images.mapping import ImageMapping

_DEFAULT_HOSTS = ("docker.io/library/", "docker.io/", "index.docker.io/")
_wildcards = re.compile(r"\[[^]]+\]|[*?]").sub


def chosen(image: str, mappings: Iterable[ImageMapping]) -> ImageMapping | None:
    """Returns the mapping that counts for an image, None when no pattern matches."""
    best: tuple[int, ImageMapping] | None = None
    for mapping in mappings:
        if matches(image, mapping.pattern):
            literal = literal_length(mapping.pattern)
            if best is None or literal >= best[0]:
                best = (literal, mapping)
    return best and best[1]


def matches(image: str, pattern: str) -> bool:
    """Whether a pattern stands for an image."""
    wanted = without_default_host(pattern)
    return any(fnmatchcase(name, wanted) for name in names_of(image))


def literal_length(pattern: str) -> int:
    """Returns how many characters of a pattern stand for themselves."""
    return len(_wildcards("", without_default_host(pattern)))


def names_of(image: str) -> Iterator[str]:
    """Yields the names under which an image may be met, the fullest first."""
    short = without_default_host(image)
    yield short
    undated = short.partition("@")[0]
    yield undated
    # A colon before the last slash belongs to the port of a registry.
    folder, slash, last = undated.rpartition("/")
    yield folder + slash + last.partition(":")[0]


def without_default_host(name: str) -> str:
    """Returns a name or pattern without the registry that is meant where none is named."""
    for host in _DEFAULT_HOSTS:
        if name.startswith(host):
            return name[len(host) :]
    return name
