"""A file that lines are appended to, and that does not grow without bound: when it is full it makes way for a new one, once."""

import os

from corral.errors import PermanentError

_MOST_BYTES = 256 * 1024 * 1024


class LineLog:
    """Appends whole lines; `PATH.1` is what was full before, and what was before that is gone."""

    def __init__(self, path: str, most_bytes: int = _MOST_BYTES) -> None:
        self._path = path
        self._most = most_bytes
        try:
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - open as long as the process lives
        except OSError as error:
            raise PermanentError("no-log-file", f"{path} cannot be written: {error.strerror}") from error
        self._size = os.fstat(self._file.fileno()).st_size

    def append(self, line: bytes) -> None:
        """Adds a line; it is with the operating system when this returns."""
        if self._size + len(line) >= self._most:
            self._file.close()
            os.replace(self._path, f"{self._path}.1")
            self._file = open(self._path, "ab", buffering=0)  # noqa: SIM115 - see above
            self._size = 0
        self._file.write(line + b"\n")
        self._size += len(line) + 1

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
