"""The error tree of the product.

    CorralError                 code, message, hint
    ├── RetryError              may succeed later; `retry_after` seconds when the other side said so
    ├── PermanentError          the user must change something; trying again will not help
    └── BugError                our fault: please report, with the story

Expected outcomes ("does not fit", "waiting for quota") are values, not errors. Adapters translate foreign exceptions
at the edge and chain the original. `code` is a stable kebab-case word; docs/reference/errors.md lists every one.
"""


class CorralError(Exception):
    """Root of every error that Corral raises on purpose."""

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.was_told = False
        """Whether the user has heard of it already, so that whoever catches it need not tell it once more."""


class RetryError(CorralError):
    """May succeed when tried again; `retry_after` is the wait in seconds that the other side asked for, if any."""

    def __init__(self, code: str, message: str, *, hint: str = "", retry_after: float | None = None) -> None:
        super().__init__(code, message, hint=hint)
        self.retry_after = retry_after


class PermanentError(CorralError):
    """Will not succeed until somebody changes something."""


class BugError(CorralError):
    """A broken promise of our own; the message tells what was expected and what was seen."""


def first_cause(error: BaseException) -> BaseException:
    """Returns what an error comes from: of tasks that ran together and failed, the first that did."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
