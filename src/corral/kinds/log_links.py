"""Links to the logs of a job that work without a token, for a while: whoever holds the token signs them. Pure.

    /corral/logs/NAMESPACE/JOB?expires=1800000000&signature=...

The token itself is in no link: a browser keeps addresses, and shows them to others.
"""

import hashlib
import hmac
from typing import Final, NamedTuple

PREFIX: Final = "/corral/logs/"


class LogLink(NamedTuple):
    """Which logs, and until when, in seconds since the epoch."""

    namespace: str
    job: str
    expires: int

    def signed(self, token: str) -> str:
        """Returns the path and the query of the link."""
        # Names that an API takes need no encoding.
        path = f"{PREFIX}{self.namespace}/{self.job}"
        return f"{path}?expires={self.expires}&signature={self.signature(token)}"

    def signature(self, token: str) -> str:
        """Returns what only a holder of the token can make; lengths are in it, so that no name can pass for another."""
        parts = ("corral-logs-1", self.namespace, self.job, str(self.expires))
        said = "".join(f"{len(part)}:{part}" for part in parts)
        return hmac.new(token.encode(), said.encode(), hashlib.sha256).hexdigest()

    def is_signed(self, token: str, signature: str) -> bool:
        """Whether a signature is that of a holder of the token."""
        return hmac.compare_digest(self.signature(token).encode(), signature.encode("utf-8", "replace"))


def link_in(path: str, query: dict[str, str]) -> LogLink | None:
    """Returns the link that a path, decoded, and a query are; None when they are none."""
    namespace, slash, job = path.removeprefix(PREFIX).partition("/")
    expires = query.get("expires", "")
    if not path.startswith(PREFIX) or not slash or not namespace or not job or "/" in job:
        return None
    if not expires.isascii() or not expires.isdigit() or len(expires) > 12:
        return None
    return LogLink(namespace, job, int(expires))
