"""A snapshot as JSON, and back: only what is not as it would be by itself is written, always in the same order. Pure."""

import json
from typing import Any

import msgspec

from corral.control.scheduling.scenes.snapshot import GROUP_KINDS, QUEUE_KINDS, VERSION, Snapshot
from corral.errors import PermanentError


def written(snapshot: Snapshot) -> str:
    """Returns a snapshot as text that ends with a line; equal snapshots have equal texts."""
    return json.dumps({"version": snapshot.version, **_without_defaults(snapshot)}, indent=1, sort_keys=True) + "\n"


def read(name: str, text: bytes) -> Snapshot:
    """Returns the snapshot of a file; `name` tells the file in errors."""
    hint = "make one with: corral simulate save FILE"
    try:
        found = msgspec.json.decode(text, type=Snapshot)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PermanentError("bad-snapshot", f"{name}: it is no snapshot: {error}", hint=hint) from error
    if found.version != VERSION:
        what = f"it is a snapshot of version {found.version}, and this Corral reads version {VERSION}"
        raise PermanentError("bad-snapshot", f"{name}: {what}", hint=hint)
    strange = {one.kind for one in found.queues} - set(QUEUE_KINDS) | {one.kind for one in found.groups} - set(
        GROUP_KINDS
    )
    if strange:
        what = f"it has objects of a kind that nobody here knows: {', '.join(sorted(strange))}"
        raise PermanentError("bad-snapshot", f"{name}: {what}", hint=hint)
    if not found.taken:
        raise PermanentError("bad-snapshot", f"{name}: it does not say when it was taken", hint=hint)
    return found


def _without_defaults(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        found = {}
        for field in msgspec.structs.fields(value):
            one = getattr(value, field.name)
            default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
            if default is msgspec.NODEFAULT or one != default:
                found[field.encode_name] = _without_defaults(one)
        return found
    if isinstance(value, list | tuple):
        return [_without_defaults(one) for one in value]
    if isinstance(value, dict):
        return {key: _without_defaults(one) for key, one in value.items()}
    return value
