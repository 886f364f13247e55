"""Who may speak to us through a browser: nobody from elsewhere.

A page of another site can make a browser send requests here, with credentials that the browser remembers, or under a name
of its own that it points at this machine (DNS rebinding). Programs send no Origin and use a name of this machine.
"""

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from corral.engine.apiserver import failures

LOCAL_NAMES = frozenset(("localhost", "127.0.0.1", "::1"))


def refuse_foreign(headers: Mapping[bytes, bytes]) -> None:
    """Raises 403 for a request to a name that is not this machine's, or from a page of another site."""
    host = headers.get(b"host")
    if host is not None and name_in(host) not in LOCAL_NAMES:
        raise _forbidden(f"this server is not {_shown(host)}; use 127.0.0.1 or localhost")
    origin = headers.get(b"origin")
    if origin is not None and (host is None or origin not in (b"http://" + host, b"https://" + host)):
        raise _forbidden(f"requests from pages of {_shown(origin)} are not allowed")
    if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
        raise _forbidden("requests from pages of other sites are not allowed")


@lru_cache(maxsize=64)
def name_in(host: bytes) -> str:
    """Returns the name in a Host header without its port, "" for what is none."""
    try:
        return urlsplit("//" + host.decode("ascii")).hostname or ""
    except ValueError:
        return ""


def _shown(raw: bytes) -> str:
    return failures.quoted(raw[:100].decode("latin-1"))


def _forbidden(message: str) -> failures.ApiFailure:
    return failures.ApiFailure(403, "Forbidden", message, details={})
