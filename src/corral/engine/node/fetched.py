"""The objects besides the pod itself that its variables and volumes are made of, by reference and as fetched.

Decisions are pure: one function tells what a pod refers to, the caller fetches it, another decides with what was found.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import NamedTuple

from corral.kinds.objects import Object


class Reference(NamedTuple):
    """An object of the pod's namespace that the pod needs; an optional one may be absent."""

    kind: str
    """ConfigMap, Secret or PersistentVolumeClaim."""
    name: str
    is_optional: bool = False


class Fetched(NamedTuple):
    """What was found of the references of a pod, by name; what was not found is not there."""

    config_maps: Mapping[str, Object] = {}
    secrets: Mapping[str, Object] = {}
    claims: Mapping[str, Object] = {}
    persistent_volumes: Mapping[str, Object] = {}
    """The PersistentVolumes that claims are bound to, by the name of the volume."""


def not_found(kind: str, name: str) -> str:
    """Says that an object is not there, in the words of Kubernetes."""
    return f'{kind.lower()} "{name}" not found'


def decoded(text: str) -> bytes:
    """Returns the bytes of a value of a Secret, or of `binaryData`; what is no base64 is nothing."""
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return b""
