"""One line per notable thing on stderr: when, what, and the details as `name=value`."""

import logging
import sys

_KNOWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class LineFormatter(logging.Formatter):
    """Writes the constant message first and then what it is about."""

    default_msec_format = "%s.%03d"

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line; a failure of our own brings its story along."""
        details = "".join(f" {name}={value}" for name, value in vars(record).items() if name not in _KNOWN)
        area = record.name.removeprefix("corral.").removeprefix("engine.controllers.")
        story = "\n" + self.formatException(record.exc_info) if record.exc_info else ""
        return f"{self.formatTime(record)} {record.levelname.lower()} {area}: {record.getMessage()}{details}{story}"


def begin_logging() -> None:
    """Sends our own words and the warnings of the loops to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("corral.engine.controllers").setLevel(logging.INFO)
