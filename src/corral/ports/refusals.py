"""What a write or a read may end in when it is not a success: one class per thing a caller can do about it.

    RetryError
    ├── ConflictError          409: based on an old version, or a precondition does not hold -> read again, decide again
    ├── ExpiredError           410: the revision asked for is gone -> list again
    ├── OverloadedError        429 and 5xx: the server is there and cannot answer now -> wait `retry_after`
    └── UnreachableError       no answer at all; `delivered` tells whether the request may have been carried out
    PermanentError
    ├── NotFoundError          404: no such object (or no such kind, then `kind_is_missing`)
    ├── AlreadyExistsError     409: the name is taken -> read it; ours when the owner's uid is ours
    ├── InvalidError           400, 413, 422: the object is wrong
    ├── UnauthorizedError      401: the credentials are refused, also after they were renewed
    ├── ForbiddenError         403: this verb is not ours
    │   ├── QuotaExceededError     ... or a quota is used up
    │   └── RefusedByPolicyError   ... or a rule of the cluster does not let the object in
    ├── UnsupportedError       405, 406, 415: the server does not do this
    └── CutOffError            nobody waits for the answer any more: the store was cut off by another thread

`status` is the server's Status object (empty when there is none) and `what` the attempted call in words.
"""

from collections.abc import Mapping
from typing import Any

from corral.errors import CorralError, PermanentError, RetryError

_NOTHING: Mapping[str, Any] = {}


class ConflictError(RetryError):
    """The write was based on an old version of the object; nothing was changed."""

    def __init__(self, message: str, *, what: str = "", status: Mapping[str, Any] = _NOTHING) -> None:
        super().__init__("conflict", message, hint="somebody else changed it at the same time; try again")
        self.what = what
        self.status = status


class ExpiredError(RetryError):
    """The revision asked for is no longer kept; only a new list tells the state."""

    def __init__(self, message: str, *, what: str = "", status: Mapping[str, Any] = _NOTHING) -> None:
        super().__init__("expired", message)
        self.what = what
        self.status = status


class OverloadedError(RetryError):
    """The server answered that it cannot do this now."""

    def __init__(
        self,
        message: str,
        *,
        what: str = "",
        status: Mapping[str, Any] = _NOTHING,
        retry_after: float | None = None,
        http_status: int = 503,
    ) -> None:
        super().__init__("api-overloaded", message, retry_after=retry_after)
        self.what = what
        self.status = status
        self.http_status = http_status


class UnreachableError(RetryError):
    """No answer came.

    `delivered` is False when the request certainly did not reach the server, and True when it may have: then a write
    may have happened, and only a read tells.
    """

    def __init__(
        self, message: str, *, what: str = "", hint: str = "", delivered: bool, timed_out: bool = False
    ) -> None:
        super().__init__("api-timeout" if timed_out else "api-unreachable", message, hint=hint)
        self.what = what
        self.delivered = delivered
        self.timed_out = timed_out


class _RefusedError(PermanentError):
    """A refusal that stays one until somebody changes something."""

    code_word = "api-refused"

    def __init__(self, message: str, *, what: str = "", hint: str = "", status: Mapping[str, Any] = _NOTHING) -> None:
        super().__init__(self.code_word, message, hint=hint)
        self.what = what
        self.status = status


class NotFoundError(_RefusedError):
    """There is no such object."""

    code_word = "not-found"

    @property
    def kind_is_missing(self) -> bool:
        """Whether the server does not know the kind at all, so that the name was not even looked up."""
        details = self.status.get("details") or {}
        return not details.get("name")


class AlreadyExistsError(_RefusedError):
    """The name is taken."""

    code_word = "already-exists"


class InvalidError(_RefusedError):
    """The server understood the object and finds it wrong; `causes` lists the fields."""

    code_word = "invalid"

    @property
    def causes(self) -> list[Mapping[str, Any]]:
        """Returns every field error that the server listed: reason, message, field."""
        details = self.status.get("details") or {}
        return list(details.get("causes") or [])


class UnauthorizedError(_RefusedError):
    """The server does not know who we are."""

    code_word = "unauthorized"


class ForbiddenError(_RefusedError):
    """The server knows us and does not let us do this."""

    code_word = "forbidden"


class QuotaExceededError(ForbiddenError):
    """The quota of the namespace does not allow so much."""

    code_word = "quota-exceeded"


class RefusedByPolicyError(ForbiddenError):
    """A rule of the cluster does not let the object in."""

    code_word = "refused-by-policy"


class UnsupportedError(_RefusedError):
    """The server has no such verb or form."""

    code_word = "unsupported"


class CutOffError(PermanentError):
    """A store was cut off while it was asked, or before; whether a write under way has happened is not known."""

    def __init__(self, what: str) -> None:
        super().__init__("cut-off", f"{what} was given up", hint="open another store to go on")
        self.what = what


def may_have_happened(error: CorralError) -> bool:
    """Whether a write that ended in this error may nevertheless be in the server."""
    if isinstance(error, UnreachableError):
        return error.delivered
    return isinstance(error, OverloadedError) and error.http_status != 429


def is_namespace_leaving(error: BaseException) -> bool:
    """Whether nothing can be made because the namespace is being deleted, and everything in it with it."""
    if not isinstance(error, ForbiddenError):
        return False
    causes = (error.status.get("details") or {}).get("causes") or []
    return any(cause.get("reason") == "NamespaceTerminating" for cause in causes)
