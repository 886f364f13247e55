"""Serves OpenAPI: documents are made when somebody first asks, and kept until what is served changes."""

import hashlib
from typing import Final

import msgspec

from corral.engine.apiserver import failures
from corral.engine.apiserver.catalog import Catalog
from corral.engine.apiserver.http.response import Response
from corral.engine.apiserver.openapi import protobuf_form
from corral.engine.apiserver.openapi.documents import version_2, version_3
from corral.engine.apiserver.resources.resource import Resource
from corral.engine.apiserver.schema.builtin import content_hash
from corral.engine.apiserver.schema.structural import source_of

_ROOT: Final = "/openapi/v3"
_VERSION_2: Final = "/openapi/v2"
_JSON: Final = "application/json"
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
        if path == _VERSION_2:
            return self._version_2(_form_of(accept))
        if path == _ROOT:
            return Response(200, self._index(), b"text/plain; charset=utf-8")  # JSON, but a real server says so
        key = path.removeprefix(f"{_ROOT}/")
        if key not in self._groups():
            return None
        _refuse_protobuf(accept)
        response = Response(200, self._document(key))
        response.headers.append((b"etag", f'"{self._hash(key)}"'.encode()))
        return response

    def _version_2(self, form: str) -> Response:
        if form == _JSON:
            return Response(200, self._document(_VERSION_2))
        if form not in self._made:
            self._made[form] = protobuf_form.encoded(version_2(list(self._catalog)))
        return Response(200, self._made[form], form.encode())

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


def _form_of(accept: str) -> str:
    """Returns the media type in which to answer for version 2: of those that the client takes, the one it likes best."""
    clauses = [clause.split(";") for clause in accept.split(",") if clause.strip()]
    for media, *_ in sorted(clauses, key=_weight, reverse=True):
        if media.strip() in protobuf_form.MEDIA_TYPES:
            return protobuf_form.MEDIA_TYPE
        if media.strip() in (_JSON, "application/*", "*/*"):
            return _JSON
    if clauses:
        raise _not_acceptable(f"{_JSON}, {protobuf_form.MEDIA_TYPE}")
    return _JSON


def _weight(clause: list[str]) -> float:
    given = (parameter.strip().removeprefix("q=") for parameter in clause[1:] if parameter.strip().startswith("q="))
    try:
        return float(next(given, "1"))
    except ValueError:
        return 1.0


def _not_acceptable(accepted: str) -> failures.ApiFailure:
    return failures.ApiFailure(406, "NotAcceptable", f"only the following media types are accepted: {accepted}")


def _refuse_protobuf(accept: str) -> None:
    """406 for a client that takes nothing but protobuf, so that it falls back to another way."""
    wanted = [part.partition(";")[0].strip() for part in accept.split(",") if part.strip()]
    if wanted and all(media.endswith(_PROTOBUF) for media in wanted):
        raise _not_acceptable(_JSON)
