"""A certificate: what was given to a gang, what its nodes had, and what was held on them at that moment.

Certificates form a chain: each carries the digest of the one before, so that none can be changed, left out or put in later.
"""

from hashlib import sha256
from typing import NamedTuple

import msgspec

from corral.placement.asks import PodAsk, Seat
from corral.placement.offers import NodeOffer

BEGINNING = ""
"""What the first certificate of a chain follows."""


class Taken(NamedTuple):
    """What one pod takes of a node."""

    seat: Seat
    ask: PodAsk


class NodeThen(NamedTuple):
    """A node at the moment of a decision: what it had in all, and what was held on it."""

    offer: NodeOffer
    holds: tuple[Taken, ...]


class Certificate(NamedTuple):
    """One admission."""

    number: int
    """Counts the admissions of a reign, from 1."""
    epoch: int
    gang: str
    minimum: int
    """How many pods of the gang must have a place."""
    seated: int
    """How many had one before."""
    within: str
    """The label of nodes that all must share; "" when anywhere will do."""
    given: tuple[Taken, ...]
    nodes: tuple[NodeThen, ...]
    """All nodes on which places were given."""
    previous: str = BEGINNING
    digest: str = ""


_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(Certificate)


def digest_of(certificate: Certificate) -> str:
    """Returns the digest of everything in a certificate."""
    return sha256(_encode(certificate._replace(digest=""))).hexdigest()


def sealed(certificate: Certificate, previous: str) -> Certificate:
    """Returns a certificate as the next of a chain."""
    linked = certificate._replace(previous=previous, digest="")
    return linked._replace(digest=digest_of(linked))


def line_of(certificate: Certificate) -> bytes:
    """Returns a certificate as one line of a log."""
    return _encode(certificate)


def certificate_in(line: bytes | str) -> Certificate:
    """Returns the certificate of a line of a log; raises msgspec.MsgspecError when there is none in it."""
    return _decoder.decode(line)
