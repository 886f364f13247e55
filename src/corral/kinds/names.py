"""Names that people type, checked before a server is asked: what cannot be a name can also not be there."""

import re

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_is_label = re.compile(_LABEL, re.ASCII).fullmatch
_is_subdomain = re.compile(rf"{_LABEL}(\.{_LABEL})*", re.ASCII).fullmatch
_is_segment = re.compile(r"[!-~]+", re.ASCII).fullmatch


def is_label(text: str) -> bool:
    """Whether a text can be the name of a namespace."""
    return len(text) <= 63 and _is_label(text) is not None


def is_subdomain(text: str) -> bool:
    """Whether a text can be the name of a job, a pod and most other objects."""
    return len(text) <= 253 and _is_subdomain(text) is not None


def is_path_segment(text: str) -> bool:
    """Whether a text can be the name of an object of any kind: roles, for one, have names with colons."""
    is_plain = _is_segment(text) is not None and not any(sign in text for sign in "/%\\")
    return is_plain and len(text) <= 253 and text not in (".", "..")
