"""The one way this package says no: what happened, and what the reader can do about it."""

from corral.errors import PermanentError


class ControlPlaneError(PermanentError):
    """Something outside this package stands in the way; the message fits on one line."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__("control-plane-unavailable", message, hint=hint)

    def __str__(self) -> str:
        """Message and hint on one line, since a skipped test has room for no more."""
        return f"{self.message}; hint: {self.hint}" if self.hint else self.message
