"""The annotation of client-side apply, for objects that move to server-side apply.

Only for the manager that kubectl uses: what the annotation says kubectl applied, and what still has that value, is no
conflict for kubectl; and as long as the annotation is there, server-side apply keeps it up to date.
"""

from typing import Any

import msgspec

from corral.engine.apiserver.apply.comparison import claimed, compare
from corral.engine.apiserver.apply.field_set import Fields, difference
from corral.engine.apiserver.apply.list_items import UnkeyedItemError
from corral.engine.apiserver.apply.tracking import FieldTracking

MANAGER = "kubectl"
ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
_ANNOTATIONS_LIMIT = 256 * 1024


def allowed_conflicts(tracking: FieldTracking, live: dict[str, Any]) -> Fields:
    """Returns the fields of the live object that client-side apply set and that nobody changed since."""
    text = (live.get("metadata", {}).get("annotations") or {}).get(ANNOTATION)
    if not text:
        return {}
    try:
        config = msgspec.json.decode(text, type=dict[str, Any])
        if config.get("apiVersion") != tracking.api_version:
            return {}
        change = compare(config, live, tracking.schema, whole=False)
        return difference(difference(claimed(config, tracking.schema), change.touched), change.removed)
    except (msgspec.DecodeError, UnkeyedItemError):
        return {}


def synchronised(obj: dict[str, Any], config: dict[str, Any]) -> dict[str, Any]:
    """Returns the object with the annotation, if it has one, telling the configuration applied now."""
    annotations = obj.get("metadata", {}).get("annotations") or {}
    if not annotations.get(ANNOTATION):
        return obj
    updated = {**annotations, ANNOTATION: _encoded(config)}
    if sum(len(key.encode()) + len(value.encode()) for key, value in updated.items()) > _ANNOTATIONS_LIMIT:
        del updated[ANNOTATION]
    return {**obj, "metadata": {**obj["metadata"], "annotations": updated}}


def _encoded(config: dict[str, Any]) -> str:
    metadata = dict(config.get("metadata") or {})
    annotations = {k: v for k, v in (metadata.get("annotations") or {}).items() if k != ANNOTATION}
    metadata.pop("annotations", None)
    if annotations:
        metadata["annotations"] = annotations
    text = msgspec.json.encode({**config, "metadata": metadata}, order="sorted").decode()
    # Go's encoder escapes these three and ends the text with a line feed.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026") + "\n"
