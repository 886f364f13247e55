"""The options of a log request: read from the query, checked as a real server does, and told to the node. Pure."""

from datetime import UTC, datetime
from urllib.parse import urlencode

import msgspec

from corral.engine.apiserver import failures, field_errors
from corral.engine.apiserver.field_errors import FieldError
from corral.engine.apiserver.http.options import boolean, integer

_FLAGS = ("follow", "previous", "timestamps")
_GO_TIME = "2006-01-02T15:04:05Z07:00"


class LogOptions(msgspec.Struct, frozen=True):
    """Which part of which container's log, and whether to go on when its end is reached."""

    container: str = ""
    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    since_seconds: int | None = None
    since_time: str = ""
    tail_lines: int | None = None
    limit_bytes: int | None = None

    def for_node(self) -> str:
        """Returns the query for the node: only what was asked for, in the order of the alphabet."""
        asked = {
            "follow": "true" if self.follow else None,
            "limitBytes": self.limit_bytes,
            "previous": "true" if self.previous else None,
            "sinceSeconds": self.since_seconds,
            "sinceTime": self.since_time or None,
            "tailLines": self.tail_lines,
            "timestamps": "true" if self.timestamps else None,
        }
        return urlencode({name: value for name, value in asked.items() if value is not None})


def log_options(query: dict[str, str], pod: str) -> LogOptions:
    """Returns the options of a request for the log of a pod; 400 for what cannot be read, 422 for what makes no sense."""
    follow, previous, timestamps = (boolean(query, name) for name in _FLAGS)
    chosen = LogOptions(
        container=query.get("container", ""),
        follow=follow,
        previous=previous,
        timestamps=timestamps,
        since_seconds=_number(query, "sinceSeconds"),
        since_time=_moment(query.get("sinceTime", "")),
        tail_lines=_number(query, "tailLines"),
        limit_bytes=_number(query, "limitBytes"),
    )
    errors = _errors(chosen, bool(query.get("stream")))
    if errors:
        raise failures.invalid("", "PodLogOptions", pod, errors)
    return chosen


def _errors(chosen: LogOptions, has_stream: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if chosen.tail_lines is not None and chosen.tail_lines < 0:
        errors.append(field_errors.invalid("tailLines", chosen.tail_lines, "must be greater than or equal to 0"))
    if chosen.limit_bytes is not None and chosen.limit_bytes < 1:
        errors.append(field_errors.invalid("limitBytes", chosen.limit_bytes, "must be greater than 0"))
    if chosen.since_seconds is not None and chosen.since_time:
        # The real server has no field to name here, and shows an empty list in its place.
        text = "at most one of `sinceTime` or `sinceSeconds` may be specified"
        errors.append(field_errors.forbidden("[]", text))
    elif chosen.since_seconds is not None and chosen.since_seconds < 1:
        errors.append(field_errors.invalid("sinceSeconds", chosen.since_seconds, "must be greater than 0"))
    if has_stream:
        errors.append(field_errors.forbidden("stream", "may not be specified"))
    return errors


def _number(query: dict[str, str], name: str) -> int | None:
    """Returns a whole number; unlike in the options of a list, an empty one is a mistake."""
    if query.get(name) == "":
        raise failures.bad_request('strconv.ParseInt: parsing "": invalid syntax')
    return integer(query, name)


def _moment(text: str) -> str:
    """Returns a time as the node is told it: in UTC, to the second."""
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or "T" not in text:
        raise failures.bad_request(f'parsing time "{text}" as "{_GO_TIME}": cannot parse "{text}" as "2006"')
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
