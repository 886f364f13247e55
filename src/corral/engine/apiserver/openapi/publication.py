"""Serves OpenAPI: documents are made when somebody first asks, and kept until what is served changes."""

import hashlib
from typing import Final

import msgspec

from corral.engine.apiserver import failures
from corral.engine.apiserver.catalog import Catalog
from corral.engine.apiserver.http.response import Response
from corral.engine.apiserver.openapi.documents import version_2, version_3
from corral.engine.apiserver.resources.resource import Resource
from corral.engine.apiserver.schema.builtin import content_hash
from corral.engine.apiserver.schema.structural import source_of

_ROOT: Final = "/openapi/v3"
_PROTOBUF: Final = "+protobuf"


class Publication:
    """Answers requests below /openapi from the catalog of what is served right now."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._generation = -1
        self._made: dict[str, bytes] = {}
        self._hashes: dict[str, str] = {}

    def answer(self, path: str, query: dict[str, str], accept: str) -> Response | None:
        """Returns the document at a path, or None when there is none."""
        self._refresh()
        if path == "/openapi/v2":
            _refuse_protobuf(accept)
            return Response(200, self._document(path))
        if path == _ROOT:
            return Response(200, self._index(), b"text/plain; charset=utf-8")  # JSON, but a real server says so
        key = path.removeprefix(f"{_ROOT}/")
        if key not in self._groups():
            return None
        _refuse_protobuf(accept)
        response = Response(200, self._document(key))
        response.headers.append((b"etag", f'"{self._hash(key)}"'.encode()))
        return response

    def _refresh(self) -> None:
        if self._generation != self._catalog.generation:
            self._generation = self._catalog.generation
            self._made.clear()
            self._hashes.clear()

    def _groups(self) -> dict[str, list[Resource]]:
        """Returns the resources of each group and version, by `api/v1` or `apis/apps/v1`."""
        groups: dict[str, list[Resource]] = {}
        for resource in self._catalog:
            prefix = "apis" if resource.group else "api"
            groups.setdefault(f"{prefix}/{resource.api_version}", []).append(resource)
        return groups

    def _index(self) -> bytes:
        paths = {key: {"serverRelativeURL": f"{_ROOT}/{key}?hash={self._hash(key)}"} for key in sorted(self._groups())}
        return msgspec.json.encode({"paths": paths})

    def _document(self, key: str) -> bytes:
        if key not in self._made:
            groups = self._groups()
            content = version_2(list(self._catalog)) if key.startswith("/") else version_3(groups[key])
            self._made[key] = msgspec.json.encode(content)
        return self._made[key]

    def _hash(self, key: str) -> str:
        """Returns what clients cache a document by; it is made from its sources, so that an index costs no document."""
        if key not in self._hashes:
            digest = hashlib.sha256(content_hash().encode())
            for resource in self._groups()[key]:
                source = source_of(resource.schema) if resource.structural else None
                shape = (resource.plural, resource.kind, resource.verbs, resource.subresources, source)
                digest.update(msgspec.json.encode(shape))
            self._hashes[key] = digest.hexdigest().upper()
        return self._hashes[key]


def _refuse_protobuf(accept: str) -> None:
    """406 for a client that takes nothing but protobuf, so that it falls back to another way."""
    wanted = [part.partition(";")[0].strip() for part in accept.split(",") if part.strip()]
    if wanted and all(media.endswith(_PROTOBUF) for media in wanted):
        raise failures.ApiFailure(406, "NotAcceptable", "only the following media types are accepted: application/json")
