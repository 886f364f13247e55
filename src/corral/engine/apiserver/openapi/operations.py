"""The paths in OpenAPI documents: one operation for each verb of a resource and of its subresources.

kubectl asks them whether PATCH knows `fieldValidation` and `dryRun` for a kind; other clients generate code from them.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from corral.engine.apiserver.openapi.definitions import list_name_of, name_of
from corral.engine.apiserver.resources.resource import Resource
from corral.engine.apiserver.schema.builtin import DEFINITIONS, META

Document = dict[str, Any]

SCALE: Final = "io.k8s.api.autoscaling.v1.Scale"
_BODIES: Final = {
    "scale": (SCALE, ("autoscaling", "v1", "Scale")),
    "binding": ("io.k8s.api.core.v1.Binding", ("", "v1", "Binding")),
    "eviction": ("io.k8s.api.policy.v1.Eviction", ("policy", "v1", "Eviction")),
    "token": ("io.k8s.api.authentication.v1.TokenRequest", ("authentication.k8s.io", "v1", "TokenRequest")),
}
_ONLY_POST: Final = frozenset({"binding", "eviction", "token"})
_TEXT: Final = frozenset({"log", "exec", "attach", "portforward"})
_ACTIONS: Final = {"get": "read", "put": "replace", "patch": "patch", "delete": "delete", "post": "create"}
_WRITE: Final = (("dryRun", "string"), ("fieldManager", "string"), ("fieldValidation", "string"))
_DELETE: Final = (
    ("dryRun", "string"),
    ("gracePeriodSeconds", "integer"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
)
_LIST: Final = (
    ("allowWatchBookmarks", "boolean"),
    ("continue", "string"),
    ("fieldSelector", "string"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("timeoutSeconds", "integer"),
    ("watch", "boolean"),
)
_PARAMETERS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "list": _LIST,
    "post": _WRITE,
    "put": _WRITE,
    "patch": (*_WRITE, ("force", "boolean")),
    "delete": _DELETE,
    "deletecollection": (*_LIST[1:6], *_DELETE),
}
_PATCH_TYPES: Final = ("application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json")
_STRATEGIC: Final = "application/strategic-merge-patch+json"


class _Call(NamedTuple):
    """One operation: its HTTP method, its action, what it returns and takes, and what ends its id."""

    method: str
    action: str
    returns: str
    takes: str = ""
    suffix: str = ""


def paths_of(resources: Iterable[Resource]) -> dict[str, Document]:
    """Returns every path of the given resources with its operations."""
    paths: dict[str, Document] = {}
    for resource in resources:
        paths.update(_resource_paths(resource))
    return dict(sorted(paths.items()))


def referenced() -> tuple[str, ...]:
    """Returns the names of definitions that paths refer to besides those of the resources."""
    return (META + "DeleteOptions", META + "Status", META + "Patch")


def bodies_of(resources: Iterable[Resource]) -> set[str]:
    """Returns the names of the definitions that subresources of the given resources use."""
    return {_BODIES[sub][0] for resource in resources for sub in resource.subresources if sub in _BODIES}


def _resource_paths(resource: Resource) -> dict[str, Document]:
    root = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    plural = resource.plural
    base = f"{root}/namespaces/{{namespace}}/{plural}" if resource.namespaced else f"{root}/{plural}"
    name, listed = name_of(resource), list_name_of(resource)
    verbs = set(resource.verbs)
    collection = [
        _Call("get", "list", listed) if "list" in verbs else None,
        _Call("post", "post", name, name) if "create" in verbs else None,
        _Call("delete", "deletecollection", META + "Status", META + "DeleteOptions")
        if "deletecollection" in verbs
        else None,
    ]
    single = [
        _Call("get", "get", name) if "get" in verbs else None,
        _Call("put", "put", name, name) if "update" in verbs else None,
        _Call("patch", "patch", name, META + "Patch") if "patch" in verbs else None,
        _Call("delete", "delete", META + "Status", META + "DeleteOptions") if "delete" in verbs else None,
    ]
    paths = {base: _path(resource, collection, "")}
    if any(single):
        paths[f"{base}/{{name}}"] = _path(resource, single, "", named=True)
    if resource.namespaced and "list" in verbs:
        everywhere = _Call("get", "list", listed, suffix="ForAllNamespaces")
        paths[f"{root}/{plural}"] = _path(resource, [everywhere], "", everywhere=True)
    for sub in resource.subresources:
        paths[f"{base}/{{name}}/{sub}"] = _path(resource, _subresource_calls(resource, sub), sub, named=True)
    return paths


def _subresource_calls(resource: Resource, sub: str) -> list[_Call | None]:
    suffix = sub[:1].upper() + sub[1:]
    name = _BODIES[sub][0] if sub in _BODIES else name_of(resource)
    if sub in _ONLY_POST:
        return [_Call("post", "post", name, name, suffix)]
    if sub in _TEXT:
        return [_Call("get", "get" if sub == "log" else "connect", "", "", suffix)]
    if sub == "finalize":
        return [_Call("put", "put", name, name, suffix)]
    return [
        _Call("get", "get", name, "", suffix),
        _Call("put", "put", name, name, suffix),
        _Call("patch", "patch", name, META + "Patch", suffix),
    ]


def _path(
    resource: Resource, calls: list[_Call | None], sub: str, named: bool = False, everywhere: bool = False
) -> Document:
    path: Document = {call.method: _operation(resource, call, sub, everywhere) for call in calls if call is not None}
    parameters = []
    if named:
        parameters.append(_in_path("name", f"name of the {resource.kind}"))
    if resource.namespaced and not everywhere:
        parameters.append(_in_path("namespace", "object name and auth scope, such as for teams and projects"))
    path["parameters"] = [*parameters, _in_query("pretty", "string")]
    return path


def _operation(resource: Resource, call: _Call, sub: str, everywhere: bool) -> Document:
    title = group_title(resource.group)
    version = resource.version[:1].upper() + resource.version[1:]
    scope = "Namespaced" if resource.namespaced and not everywhere else ""
    verb = {"list": "list", "deletecollection": "delete", "connect": "connectGet"}.get(call.action)
    kind = f"Collection{scope}{resource.kind}" if call.action == "deletecollection" else f"{scope}{resource.kind}"
    group, of_version, of_kind = _BODIES[sub][1] if sub in _ONLY_POST else _gvk(resource)
    operation: Document = {
        "tags": [f"{title[:1].lower()}{title[1:]}_{resource.version}"],
        "operationId": f"{verb or _ACTIONS[call.method]}{title}{version}{kind}{call.suffix}",
        "responses": _responses(call),
        "x-kubernetes-action": call.action,
        "x-kubernetes-group-version-kind": {"group": group, "version": of_version, "kind": of_kind},
    }
    if call.action in _PARAMETERS:
        operation["parameters"] = [_in_query(name, kind) for name, kind in _PARAMETERS[call.action]]
    if call.takes:
        types = ("*/*",) if call.method != "patch" else _PATCH_TYPES
        if call.method == "patch" and not resource.structural:
            types = (*types, _STRATEGIC)
        content = {media: {"schema": {"$ref": DEFINITIONS + call.takes}} for media in types}
        required = {"required": True} if call.method != "delete" else {}
        operation["requestBody"] = {"content": content, **required}
    return operation


def _gvk(resource: Resource) -> tuple[str, str, str]:
    return resource.group, resource.version, resource.kind


def _responses(call: _Call) -> Document:
    schema = {"$ref": DEFINITIONS + call.returns} if call.returns else {"type": "string"}
    media = ("application/json", "application/yaml") if call.returns else ("text/plain",)
    body = {"content": {kind: {"schema": schema} for kind in media}}
    answers = {"200": {"description": "OK", **body}}
    if call.method in ("post", "put", "patch"):
        answers["201"] = {"description": "Created", **body}
    if call.action in ("post", "delete"):
        answers["202"] = {"description": "Accepted", **body}
    return {**answers, "401": {"description": "Unauthorized"}}


def _in_query(name: str, kind: str) -> Document:
    return {"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": True}}


def _in_path(name: str, description: str) -> Document:
    schema = {"type": "string", "uniqueItems": True}
    return {"name": name, "in": "path", "description": description, "required": True, "schema": schema}


def group_title(group: str) -> str:
    """Returns the group as operation ids have it: `Core`, `Apps`, `RbacAuthorization`, `SchemaExampleCom`."""
    words = group.removesuffix(".k8s.io").split(".") if group else ["core"]
    return "".join(word[:1].upper() + word[1:] for word in words)
