"""Scale and binding; logs, exec and attach are in `nodes`."""

from typing import Any

from corral.engine.apiserver import failures, field_errors
from corral.engine.apiserver.http.request import Request
from corral.engine.apiserver.resources.pods import bind
from corral.engine.apiserver.resources.resource import Object, Resource, Scale, Strategy
from corral.engine.apiserver.rest.body import Body, object_in, parsed_json, shaped
from corral.engine.apiserver.rest.identity import other_uid
from corral.engine.apiserver.rest.patching import check_patch_type, patched
from corral.engine.apiserver.rest.writing import Write, change, with_subresource
from corral.engine.apiserver.schema.builtin import builtin_schema
from corral.engine.apiserver.schema.defaulting import copied
from corral.engine.apiserver.selectors import label_selector_of

SCALE = Resource("autoscaling", "v1", "Scale", "scales", True, builtin_schema("autoscaling", "v1", "Scale"), Strategy())
BINDING = Resource("", "v1", "Binding", "bindings", True, builtin_schema("", "v1", "Binding"), Strategy())


def read_scale(obj: Object, where: Scale) -> Object:
    """Returns the Scale of an object."""
    meta = obj["metadata"]
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    spec = _number(obj, where.spec_replicas)
    status: dict[str, Any] = {"replicas": _number(obj, where.status_replicas) or 0}
    selector = _at(obj, where.selector) if where.selector else None
    if isinstance(selector, dict):
        selector = str(label_selector_of(selector))
    if selector:
        status["selector"] = selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {k: meta[k] for k in kept if k in meta},
        "spec": {"replicas": spec} if spec else {},
        "status": status,
    }


async def write_scale(write: Write, request: Request) -> Object:
    """Changes the replicas of an object through its Scale; returns the new Scale."""
    where = write.resource.scale
    assert where is not None
    make_scale = await _scale_maker(write, request, where)

    def make(old: Object) -> Object:
        wanted = make_scale(read_scale(old, where))
        new: Object = copied(old)
        version = (wanted.get("metadata") or {}).get("resourceVersion")
        new["metadata"]["resourceVersion"] = version or ""
        replicas = (wanted.get("spec") or {}).get("replicas") or 0
        if replicas < 0:
            error = field_errors.invalid("spec.replicas", replicas, "must be greater than or equal to 0")
            raise failures.invalid("autoscaling", "Scale", write.target.name, [error])
        _put(new, where.spec_replicas, replicas)
        return new

    written = await change(with_subresource(write, "scale"), make)
    return read_scale(written.obj, where)


async def _scale_maker(write: Write, request: Request, where: Scale) -> Any:
    if request.method == "PUT":
        given = (await object_in(request, SCALE, write.options.field_validation)).obj
        name = (given.get("metadata") or {}).get("name")
        if name and name != write.target.name:
            raise failures.bad_request(
                f"the name of the object ({name}) does not match the name on the URL ({write.target.name})"
            )
        return lambda _: given
    kind = request.content_type
    check_patch_type(kind, write.resource)
    content = parsed_json(await request.body())

    def make(scale: Object) -> Object:
        made: Body = shaped(patched(kind, scale, content, SCALE), SCALE, write.options.field_validation)
        return made.obj

    return make


async def bind_pod(write: Write, request: Request) -> None:
    """Assigns a pod to a node, once."""
    binding = (await object_in(request, BINDING, write.options.field_validation)).obj
    given = binding.get("metadata") or {}
    if given.get("name") and given["name"] != write.target.name:
        raise failures.bad_request("name in URL does not match name in Binding object")

    def make(pod: Object) -> Object:
        for field, word in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
            wanted, found = given.get(field), pod["metadata"][field]
            if wanted and wanted != found:
                raise other_uid(write.resource, write.target, wanted, found, word)
        return bind(copied(pod), binding, write.world.timestamp())

    await change(with_subresource(write, "binding"), make, tracked=False)  # a scheduler owns nothing of the pod


def _at(obj: Object, path: str) -> Any:
    value: Any = obj
    for part in path.strip(".").split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _number(obj: Object, path: str) -> int:
    value = _at(obj, path)
    return value if isinstance(value, int) else 0


def _put(obj: Object, path: str, value: int) -> None:
    *parents, last = path.strip(".").split(".")
    for part in parents:
        obj = obj.setdefault(part, {})
    obj[last] = value
