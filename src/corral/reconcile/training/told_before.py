"""What was said about a job before: its status, whoever wrote it.

An older operator, another one or a hand may have written it. What cannot be read counts as not said, but for the conditions: a
job whose end cannot be read must not be taken for one that has not begun.
"""

from typing import Any

import msgspec

from corral.kinds.objects import Object
from corral.kinds.training.status import JobStatus


class UnreadableStatusError(ValueError):
    """The conditions of a job are not of the shape in which conditions are written."""


def status_of(obj: Object) -> JobStatus:
    """Returns the status as it was written."""
    told = _without_nulls(obj.get("status") or {})
    try:
        return msgspec.convert(told, JobStatus)
    except msgspec.ValidationError:
        return _field_by_field(told)


def _field_by_field(told: Any) -> JobStatus:
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(JobStatus):
        if not isinstance(told, dict) or field.encode_name not in told:
            continue
        try:
            found[field.name] = msgspec.convert(told[field.encode_name], field.type)
        except msgspec.ValidationError as error:
            if field.name == "conditions":
                raise UnreadableStatusError(str(error)) from error
    return JobStatus(**found)


def _without_nulls(value: Any) -> Any:
    """Returns a value without the fields that are null, which other writers use for what is not there."""
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value
