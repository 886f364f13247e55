"""Addresses of servers taken apart, and texts as parts of one: what `urllib.parse` does, without its price for plain ones.

To load that, and what it loads, takes as long as a request. Whatever is not plain is left to it.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

_PLAIN = re.compile(r"(https?)://([A-Za-z0-9.-]+)(?::([0-9]{1,4}|[1-5][0-9]{4}))?((?:/[A-Za-z0-9._~-]+)*/?)")
_LETTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~"
"""What always stands for itself (RFC 3986)."""


class Address(NamedTuple):
    """Where a server is."""

    scheme: str
    host: str
    """A name or a number; one of IPv6 without its brackets."""
    given_port: int | None
    path: str

    @property
    def port(self) -> int:
        """Returns the port that is meant."""
        return self.given_port or (443 if self.scheme == "https" else 80)

    @property
    def bracketed(self) -> str:
        """Returns the host as it stands in addresses."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def authority(self) -> str:
        """Returns host and port, as they were given."""
        return self.bracketed if self.given_port is None else f"{self.bracketed}:{self.given_port}"


def address_of(url: str) -> Address:
    """Returns an address taken apart; a port that cannot be is a ValueError."""
    if plain := _PLAIN.fullmatch(url):
        scheme, host, port, path = plain.groups()
        return Address(scheme, host.lower(), int(port) if port else None, path)
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    return Address(parts.scheme, parts.hostname or "", parts.port, parts.path)


def quoted(text: str, kept: bytes = b"") -> str:
    """Returns a text as a part of an address; letters, digits and what is `kept` stand for themselves."""
    if text.isalnum() and text.isascii():
        return text
    plain = _LETTERS + kept
    return "".join([chr(byte) if byte in plain else f"%{byte:02X}" for byte in text.encode()])


def query_of(given: Mapping[str, object]) -> str:
    """Returns names and values as a query."""
    return "&".join([f"{_in_query(name)}={_in_query(str(value))}" for name, value in given.items()])


def _in_query(text: str) -> str:
    return quoted(text, b" ").replace(" ", "+")
