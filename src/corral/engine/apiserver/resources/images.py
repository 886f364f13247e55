"""Image references, as far as an API server reads them: whether one names the moving tag `latest`."""

import re
from functools import lru_cache

_WORD = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_HOST_PART = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST = rf"(?:{_HOST_PART}(?:\.{_HOST_PART})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_DIGEST = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_reference = re.compile(
    rf"(?:{_HOST}/)?{_WORD}(?:/{_WORD})*(?::(?P<tag>[\w][\w.-]{{0,127}}))?(?P<digest>@{_DIGEST})?", re.ASCII
).fullmatch
_identifier = re.compile("[a-f0-9]{64}").fullmatch


@lru_cache(maxsize=4096)
def default_pull_policy(image: str) -> str:
    """Returns Always for an image whose tag is `latest` or left out, else IfNotPresent (also for what is no image)."""
    match = _reference(image)
    if match is None or _identifier(image):
        return "IfNotPresent"
    tag = match.group("tag") or ("" if match.group("digest") else "latest")
    return "Always" if tag == "latest" else "IfNotPresent"
