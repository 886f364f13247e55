"""What can be wrong with the state file, as errors that name the file, the place and the way out."""

from corral.errors import PermanentError


class DamagedStateError(PermanentError):
    """The state file cannot be trusted: cut, altered, or older than what was acknowledged. It is never served."""

    def __init__(self, path: str, finding: str) -> None:
        super().__init__(
            "state-damaged",
            f"the state file {path} is damaged: {finding}",
            hint="`corral doctor --salvage` keeps the file and rebuilds the state from every row that is still good",
        )
        self.path = path
        self.finding = finding


class ForeignStateError(PermanentError):
    """The file is healthy but not ours to open: another program's, a newer release's, or in use."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(code, message, hint=hint)


class DiskFullError(Exception):
    """The disk cannot take the write; nothing of the batch was stored, and a later write may succeed."""
