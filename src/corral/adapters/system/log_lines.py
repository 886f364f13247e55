"""Log lines on stderr, one per notable thing: for people as `name=value`, for machines as one JSON object."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Literal

_KNOWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

LogFormat = Literal["json", "text"]


class _Lines(logging.Formatter):
    """What both forms share."""

    def _time(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _details(self, record: logging.LogRecord) -> dict[str, object]:
        return {name: value for name, value in vars(record).items() if name not in _KNOWN}


class TextLines(_Lines):
    """The constant message first, then what it is about."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line; a failure of our own brings its story along."""
        details = "".join(f" {name}={value}" for name, value in self._details(record).items())
        area = record.name.removeprefix("corral.")
        story = "\n" + self.formatException(record.exc_info) if record.exc_info else ""
        return f"{self._time(record)} {record.levelname.lower()} {area}: {record.getMessage()}{details}{story}"


class JsonLines(_Lines):
    """One JSON object per line, the details beside time, level, logger and message."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line."""
        line: dict[str, object] = {
            "time": self._time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **self._details(record),
        }
        if record.exc_info:
            line["story"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str, ensure_ascii=False)


def begin_logging(form: LogFormat) -> None:
    """Sends our own words, and the warnings of libraries, to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("corral").setLevel(logging.INFO)
