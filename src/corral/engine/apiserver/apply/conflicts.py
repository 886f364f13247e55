"""Conflicts of an apply: fields that another manager owns with another value."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from corral.engine.apiserver.apply.field_set import Fields, paths
from corral.engine.apiserver.apply.ownership import Owner
from corral.engine.apiserver.failures import ApiFailure


class Conflict(NamedTuple):
    """One manager and the fields of it that an apply would change."""

    owner: Owner
    fields: Fields


def conflict_failure(conflicts: Sequence[Conflict]) -> ApiFailure:
    """409: lists every field in conflict by manager, with one cause each."""
    listed = [(_named(c.owner), list(paths(c.fields))) for c in sorted(conflicts, key=lambda c: _sort_text(c.owner))]
    causes = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {who}", "field": path}
        for who, found in listed
        for path in found
    ]
    if len(causes) == 1:
        message = f"Apply failed with 1 conflict: {causes[0]['message']}: {causes[0]['field']}"
    else:
        said = "\n".join("\n- ".join([f"conflicts with {who}:", *found]) for who, found in listed)
        message = f"Apply failed with {len(causes)} conflicts: {said}"
    return ApiFailure(409, "Conflict", message, details={"causes": causes})


def _named(owner: Owner) -> str:
    name = json.dumps(owner.manager, ensure_ascii=False)
    if owner.subresource:
        name += f' with subresource "{owner.subresource}"'
    return f"{name} using {owner.api_version}" if owner.operation == "Update" else name


def _sort_text(owner: Owner) -> str:
    # The real server sorts managers by their identity written as JSON.
    keys = {"manager": owner.manager, "operation": owner.operation, "apiVersion": owner.api_version}
    keys["subresource"] = owner.subresource
    return json.dumps({key: value for key, value in keys.items() if value}, separators=(",", ":"), ensure_ascii=False)
