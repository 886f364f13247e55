"""The API: finds the resource that a request names and the verb that it means, and lets it answer."""

from collections.abc import Iterator
from contextlib import contextmanager

from corral.engine.apiserver import failures, field_errors
from corral.engine.apiserver.http import options
from corral.engine.apiserver.http.negotiation import check_shape, form_of
from corral.engine.apiserver.http.request import Request
from corral.engine.apiserver.http.response import Answer, Response, document, encoded, warning_header
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.resources.tables.rendering import INCLUDE_OBJECT
from corral.engine.apiserver.rest import deleting, patching, reading, subresources, watching, writing
from corral.engine.apiserver.rest.body import Body, object_in, parsed
from corral.engine.apiserver.rest.identity import check_name, key_of, other_uid
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.rest.writing import Write, Written
from corral.engine.apiserver.world import World

COLLECTION_METHODS = frozenset(("GET", "POST", "DELETE"))
SUMMARY = "proxy/stats/summary"
"""What of nodes/proxy is passed on."""
OBJECT_METHODS = frozenset(("GET", "PUT", "PATCH", "DELETE"))


class Api:
    """Everything below a group version."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def answer(self, request: Request, target: Target) -> Answer:
        """Answers one request; raises ApiFailure for everything that is not a success."""
        resource = self._resource(target)
        if request.method == "HEAD":
            raise failures.method_not_allowed()
        answer = await self._verb(request, target, resource)
        if resource.deprecation:
            answer.headers.append(warning_header(resource.deprecation))
        return answer

    async def _verb(self, request: Request, target: Target, resource: Resource) -> Answer:
        if target.subresource:
            return await self._subresource(request, target, resource)
        view = View(resource, form_of(request.headers.get(b"accept", b"")), _included(request))
        if not target.name:
            return await self._collection(request, target, view)
        return await self._object(request, target, view)

    def _resource(self, target: Target) -> Resource:
        resource = self._world.catalog.find(target.group, target.version, target.plural)
        if resource is None or (target.namespace and not resource.namespaced):
            raise failures.no_such_path()
        if resource.namespaced and target.name and not target.namespace:
            raise failures.no_such_path()
        return resource

    async def _collection(self, request: Request, target: Target, view: View) -> Answer:
        if request.method == "GET":
            chosen = options.list_options(request.query)
            if chosen.watch or target.watch_prefix:
                return watching.watch(self._world, view, target, chosen, request)
            check_shape(view.form, is_list=True, go_type=view.resource.go_type)
            return reading.list_objects(self._world, view, target, chosen)
        if request.method == "POST" and "create" in view.resource.verbs:
            if view.resource.namespaced and not target.namespace:
                raise failures.method_not_allowed()
            write = self._write(request, target, view, "CreateOptions")
            body = await object_in(request, view.resource, write.options.field_validation)
            with _telling(body.warnings):
                return self._written(view, await writing.create(write, body.obj), body.warnings)
        if request.method == "DELETE" and "deletecollection" in view.resource.verbs:
            if view.resource.namespaced and not target.namespace:
                raise failures.method_not_allowed()
            chosen = options.list_options(request.query)
            return await deleting.delete_collection(self._world, view, target, chosen, await _delete_options(request))
        raise failures.method_not_allowed()

    async def _object(self, request: Request, target: Target, view: View) -> Answer:
        method = request.method
        if method == "GET":
            if target.watch_prefix:
                chosen = options.list_options(request.query)
                return watching.watch(self._world, view, target, chosen, request)
            check_shape(view.form, is_list=False, go_type=view.resource.go_type)
            return reading.get(self._world, view, target, request.query)
        if method == "PUT":
            return await self._replace(request, target, view)
        if method == "PATCH":
            write = self._write(request, target, view, "PatchOptions")
            written, warnings = await patching.patch(write, request)
            return self._written(view, written, warnings)
        if method == "DELETE":
            return await self._delete(view, target, await _delete_options(request))
        raise failures.method_not_allowed()

    async def _delete(self, view: View, target: Target, chosen: options.DeleteOptions) -> Answer:
        warning = view.resource.strategy.deletion_warning(chosen.propagation)
        warnings = [warning] if warning else []
        with _telling(warnings):
            answer = await deleting.delete(self._world, view, target, chosen)
        answer.headers += [warning_header(warning) for warning in warnings]
        return answer

    async def _replace(self, request: Request, target: Target, view: View) -> Answer:
        write = self._write(request, target, view, "UpdateOptions")
        body = await object_in(request, view.resource, write.options.field_validation)
        with _telling(body.warnings):
            return await self._replaced(write, body)

    async def _replaced(self, write: Write, body: Body) -> Answer:
        obj, target, view = body.obj, write.target, write.view
        check_name(obj, target, view.resource)
        if view.resource.namespaced:
            obj["metadata"]["namespace"] = target.namespace
        if view.resource.strategy.allow_create_on_update and not target.subresource:
            key = key_of(target)
            if self._world.store.collection(view.resource.storage_key).get(key) is None:
                _forget_version(obj, target, view.resource)
                return self._written(view, await writing.create(write, obj), body.warnings)
        return self._written(view, await writing.change(write, lambda _: obj), body.warnings)

    async def _subresource(self, request: Request, target: Target, resource: Resource) -> Answer:
        name, method = target.subresource, request.method
        if name == SUMMARY and resource.kind == "Node" and method == "GET":
            from corral.engine.apiserver.nodes.summaries import read_summary

            return await read_summary(self._world, resource, target, request)
        if name not in resource.subresources:
            if name == "portforward" and resource.kind == "Pod":
                raise failures.no_port_forward()
            if resource.structural:
                raise failures.not_found(resource.group, resource.plural, target.name)
            raise failures.no_such_path()
        if name == "log" and method == "GET":
            # Loaded with the first log that is read: it brings TLS along, for which no start should wait.
            from corral.engine.apiserver.nodes.logs import read_log

            return await read_log(self._world, resource, target, request)
        if name in ("attach", "exec") and method in ("GET", "POST"):
            from corral.engine.apiserver.nodes.tunnels import open_tunnel

            return await open_tunnel(self._world, resource, target, request)
        view = View(resource, form_of(request.headers.get(b"accept", b"")), _included(request))
        if name == "status" and method in ("GET", "PUT", "PATCH"):
            return await self._object(request, target, view)
        if name == "finalize" and method == "PUT":
            return await self._replace(request, target, view)
        if name == "scale" and method in ("GET", "PUT", "PATCH") and resource.scale:
            return await self._scale(request, target, view)
        if name == "binding" and method == "POST":
            return await self._bind(request, target, view)
        raise failures.method_not_allowed()

    async def _scale(self, request: Request, target: Target, view: View) -> Response:
        where = view.resource.scale
        assert where is not None
        if request.method == "GET":
            obj = view.decoded(reading.entry_of(self._world, view.resource, target))
            return document(200, subresources.read_scale(obj, where), view.form)
        write = self._write(request, target, view, "UpdateOptions")
        return document(200, await subresources.write_scale(write, request), view.form)

    async def _bind(self, request: Request, target: Target, view: View) -> Response:
        await subresources.bind_pod(self._write(request, target, view, "CreateOptions"), request)
        return document(201, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201})

    def _write(self, request: Request, target: Target, view: View, kind: str) -> Write:
        return Write(self._world, view, target, options.write_options(request.query, kind), request.user_agent)

    def _written(self, view: View, written: Written, warnings: list[str]) -> Response:
        status = 201 if written.created else 200
        answer = encoded(status, view.one(written.entry, self._world.now()), view.form)
        answer.headers += [warning_header(warning) for warning in (*warnings, *written.warnings)]
        return answer


def _forget_version(obj: Object, target: Target, resource: Resource) -> None:
    """Lets a replacement of an absent object create it: its version counts for nothing, but a uid must be found."""
    obj["metadata"].pop("resourceVersion", None)
    uid = obj["metadata"].get("uid")
    if uid:
        raise other_uid(resource, target, uid, "")


@contextmanager
def _telling(warnings: list[str]) -> Iterator[None]:
    """Lets warnings reach the client also when what follows is refused."""
    try:
        yield
    except failures.ApiFailure as failure:
        failure.warnings += warnings
        raise


def _included(request: Request) -> str:
    wanted = request.query.get("includeObject", "") or "Metadata"
    if wanted not in INCLUDE_OBJECT:
        text = "must be 'Metadata', 'Object', 'None', or empty"
        error = field_errors.invalid("includeObject", wanted, text)
        raise failures.bad_request(f"Unable to convert to Table as requested: {error}")
    return wanted


async def _delete_options(request: Request) -> options.DeleteOptions:
    raw = await request.body()
    if not raw:
        return options.delete_options(request.query, None)
    content = await parsed(raw, request.content_type)
    if content is not None and not isinstance(content, dict):
        raise failures.bad_request("the body of a delete must be DeleteOptions")
    return options.delete_options(request.query, content)
