"""The options of exec and attach: read from the query, and told to the node in a kubelet's names. Pure."""

from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.options import boolean

MOST_PARAMETERS = 4096
"""Each word of a command is one; the head of a request is bounded besides."""

_FLAGS = {"stderr": "error", "stdin": "input", "stdout": "output", "tty": "tty"}


class StreamOptions(NamedTuple):
    """Which container, which of its streams, and the command."""

    container: str
    for_node: str
    """The query for the node."""


def stream_options(raw: bytes) -> StreamOptions:
    """Returns the options of a request."""
    try:
        pairs = parse_qsl(raw.decode("latin-1"), keep_blank_values=True, max_num_fields=MOST_PARAMETERS)
    except ValueError:
        raise failures.bad_request(f"a command may have {MOST_PARAMETERS} words") from None
    given: dict[str, str] = {}
    for name, value in pairs:
        given.setdefault(name, value)
    told = [(name, value) for name, value in pairs if name == "command"]
    told += [(theirs, "1") for ours, theirs in _FLAGS.items() if boolean(given, ours)]
    return StreamOptions(given.get("container", ""), urlencode(told))
