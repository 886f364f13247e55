"""Patch: JSON patch, merge patch, strategic merge patch, and server-side apply."""

from typing import Any

import msgspec

from corral.engine.apiserver import failures, field_errors
from corral.engine.apiserver.apply import applying
from corral.engine.apiserver.apply.config_check import check_config, manager_errors
from corral.engine.apiserver.http.request import Request
from corral.engine.apiserver.patch import json_patch, merge_patch, strategic
from corral.engine.apiserver.patch.go_values import printed
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.rest.body import parsed_json, parsed_yaml, shaped
from corral.engine.apiserver.rest.identity import check_kind, check_name, check_namespace
from corral.engine.apiserver.rest.ownership import tracking_of
from corral.engine.apiserver.rest.writing import Write, Written, change, create
from corral.engine.apiserver.schema.defaulting import copied
from corral.engine.apiserver.schema.depth import is_deeper

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"


async def patch(write: Write, request: Request) -> tuple[Written, list[str]]:
    """Patches an object (with apply: or creates it); returns it with the warnings to send."""
    kind = request.content_type
    if kind == APPLY:
        return await _applied(write, await parsed_yaml(await request.body()))
    if write.options.force:
        error = field_errors.forbidden("force", "may not be specified for non-apply patch")
        raise failures.invalid("meta.k8s.io", "PatchOptions", "", [error])
    check_patch_type(kind, write.resource)
    content = parsed_json(await request.body(), "" if kind == STRATEGIC else "error decoding patch: ")
    warnings: list[str] = []

    def make(old: Object) -> Object:
        made = patched(kind, old, content, write.resource)
        shown = printed(content) if kind == STRATEGIC else _in_order(made)
        try:
            check_kind(made, write.resource)
            body = shaped(made, write.resource, write.options.field_validation)
        except failures.ApiFailure as failure:
            raise _spoiled(failure, shown) from failure
        warnings.extend(body.warnings)
        check_name(body.obj, write.target, write.resource)
        _check_uid(write, body.obj, old)
        return body.obj

    return await change(write, make), warnings


def check_patch_type(kind: str, resource: Resource) -> None:
    """Refuses a patch of a type that the resource does not take; custom resources have no merge keys."""
    if kind == STRATEGIC and resource.structural:
        raise failures.unsupported_media_type((JSON_PATCH, MERGE_PATCH, APPLY))
    if kind not in (JSON_PATCH, MERGE_PATCH, STRATEGIC):
        raise failures.ApiFailure(415, "UnsupportedMediaType", "415: Unsupported Media Type", details={})


def _spoiled(failure: failures.ApiFailure, shown: str) -> failures.ApiFailure:
    """Returns the failure of a patch whose result is no longer an object of its kind: 422 on the field `patch`."""
    if failure.code != 400:
        return failure
    problem = failure.message.split(": ", 1)[-1]
    return failures.invalid("", "", "", [field_errors.invalid("patch", shown, problem)])


def _in_order(made: Object) -> str:
    return msgspec.json.encode({key: made[key] for key in sorted(made)}).decode()


def _check_uid(write: Write, new: Object, old: Object | None) -> None:
    uid = (new.get("metadata") or {}).get("uid")
    if uid and (old is None or uid != old["metadata"]["uid"]):
        error = field_errors.invalid("metadata.uid", uid, "field is immutable")
        raise failures.invalid(write.resource.group, write.resource.kind, write.target.name, [error, error])


def patched(kind: str, old: Object, content: Any, resource: Resource) -> Object:
    """Returns the object after a patch of one of the three plain kinds; the result shares nothing that is changed."""
    if kind == JSON_PATCH:
        made = json_patch.apply(old, content)
    elif kind == MERGE_PATCH:
        made = merge_patch.apply(old, content)
    else:
        made = strategic.apply(old, content, resource.schema)
    if is_deeper(made):
        raise failures.bad_request("the patch leaves an object that is nested too deep")
    if not isinstance(made, dict):
        raise failures.bad_request("the patch does not leave an object")
    new: Object = copied(made)
    return new


async def _applied(write: Write, config: Any) -> tuple[Written, list[str]]:
    resource, target = write.resource, write.target
    errors = manager_errors(write.options.field_manager, apply=True)
    if errors:
        raise failures.invalid("meta.k8s.io", "PatchOptions", "", errors)
    if not isinstance(config, dict):
        raise failures.bad_request("error decoding YAML: the applied configuration is not an object")
    tracking = tracking_of(resource, target.subresource)
    check_config(tracking, config)
    named = bool((config.get("metadata") or {}).get("name"))
    if named:
        check_name(config, target, resource)
    check_namespace(config, target.namespace, resource)

    def merged(live: Object | None) -> Object:
        _check_uid(write, config, live)
        if live is None and not named:
            check_name(config, target, resource)
        # The manager owns all that it sent, zero values too, so the configuration gets its shape only when merged.
        request = applying.Request(config, write.manager, write.options.force, write.world.timestamp())
        new: Object = copied(applying.apply(tracking, live, request).object)
        new["metadata"] = {**(new.get("metadata") or {}), "name": target.name}
        if live is None:
            new["metadata"].pop("resourceVersion", None)
        if resource.namespaced:
            new["metadata"]["namespace"] = target.namespace
        return shaped(new, resource, "Ignore").obj

    while True:
        try:
            return await change(write, merged, tracked=False), []
        except failures.ApiFailure as failure:
            if failure.code != 404 or target.subresource:
                raise
        try:
            return await create(write, merged(None), tracked=False), []
        except failures.ApiFailure as failure:
            if failure.reason != "AlreadyExists":  # somebody else created it in between: apply to theirs
                raise
