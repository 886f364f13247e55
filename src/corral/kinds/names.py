"""Names that people type, checked before a server is asked: what cannot be a name can also not be there."""

import re

from corral.errors import PermanentError

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_is_label = re.compile(_LABEL, re.ASCII).fullmatch
_is_subdomain = re.compile(rf"{_LABEL}(\.{_LABEL})*", re.ASCII).fullmatch

MADE_OF = "a name is made of a-z, 0-9, - and ., and begins and ends with a letter or a digit"


def is_label(text: str) -> bool:
    """Whether a text can be the name of a namespace."""
    return len(text) <= 63 and _is_label(text) is not None


def is_subdomain(text: str) -> bool:
    """Whether a text can be the name of a job, a pod and most other objects."""
    return len(text) <= 253 and _is_subdomain(text) is not None


def refuse_bad_name(text: str, what: str = "name") -> None:
    """Raises when a text cannot be the name of an object."""
    if not text:
        raise PermanentError("bad-name", f"the {what} is empty", hint=MADE_OF)
    if not is_subdomain(text):
        shown = text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"
        raise PermanentError("bad-name", f"{shown!r} cannot be a {what}", hint=MADE_OF)
