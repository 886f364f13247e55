"""How stored objects look to one client: version, shape (object, metadata, table) and encoding.

The common case, a JSON object in the version in which it rests, is a copy of stored bytes; everything else decodes. Whether a
custom resource is shown as it rests depends on its schema, and is found out once for each entry.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from corral.engine.apiserver.http.negotiation import Form
from corral.engine.apiserver.http.parts import Parts
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.resources.tables.printers import DEFAULT_PRINTER
from corral.engine.apiserver.resources.tables.rendering import rows, table
from corral.engine.apiserver.schema.completion import complete
from corral.engine.apiserver.storage.entry import Entry

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class _Metadata(msgspec.Struct):
    metadata: msgspec.Raw


_only_metadata = msgspec.json.Decoder(_Metadata).decode


Piece = tuple[bytes, bytes | memoryview]


class View:
    """One client's view of one resource."""

    def __init__(self, resource: Resource, form: Form, include: str = "Metadata") -> None:
        self.resource = resource
        self.form = form
        self._include = include
        self._raw = resource.from_storage is None and resource.storage_version in ("", resource.version)
        head = f'{{"kind":"{resource.kind}","apiVersion":"{resource.api_version}",'
        self._head = head.encode()
        self.key = (resource.api_version, form, include)

    def decoded(self, entry: Entry) -> Object:
        """Returns a fresh copy of the object in this view's version."""
        obj: Object = _decode(entry.value)
        if self._rests(entry):
            return obj
        rested_in, shown = obj.get("apiVersion"), self._converted(obj)
        if shown is obj and rested_in == self.resource.api_version:
            entry.shown_by = self.resource
        return shown

    def _rests(self, entry: Entry) -> bool:
        """Whether an entry is known to be shown just as it rests."""
        return self._raw or entry.shown_by is self.resource

    def _converted(self, stored: Object) -> Object:
        """Returns a stored object in this view's version; may change the one it is given."""
        if self.resource.from_storage is not None:
            stored = self.resource.from_storage(stored)
        stored["apiVersion"] = self.resource.api_version
        return stored

    def _json(self, entry: Entry) -> bytes:
        """Returns an object in this view's version as JSON, without making it anew when it is shown as it rests."""
        if self._rests(entry):
            return entry.value
        obj = self.decoded(entry)
        return entry.value if self._rests(entry) else _encode(obj)

    def one(self, entry: Entry, now: float) -> bytes:
        """Returns a single object as JSON."""
        return self._json(entry) if self.form.shape == "object" else self.shown(self.decoded(entry), now)

    def shown(self, obj: Object, now: float, headers: bool = True) -> bytes:
        """Returns a decoded object of this view's version as JSON in this view's shape."""
        if self.form.shape == "partial":
            return _encode(partial(obj, self.form.version))
        if self.form.shape == "table":
            version = obj["metadata"].get("resourceVersion")
            meta = {"resourceVersion": version} if version else {}
            return _encode(self._table([obj], meta, now, headers))
        return _encode(obj)

    def many(self, entries: Sequence[Entry], meta: dict[str, Any], now: float) -> Parts:
        """Returns a list as JSON, in parts to be sent one after the other."""
        if self.form.shape == "table":
            return self._many_rows(entries, meta, now)
        if self.form.shape == "partial":
            head = {
                "kind": "PartialObjectMetadataList",
                "apiVersion": f"meta.k8s.io/{self.form.version}",
                "metadata": meta,
            }
            return _spliced(_encode(head | {"items": []}), ((b",", self._partial(e)) for e in entries))
        resource = self.resource
        head = {"kind": resource.list_kind, "apiVersion": resource.api_version, "metadata": meta}
        return _spliced(_encode(head | {"items": []}), map(self._item, entries))

    def _partial(self, entry: Entry) -> bytes:
        """Returns only the metadata of an object as JSON; what rests as it is shown is cut out of its bytes."""
        if not self._rests(entry):
            return _encode(partial(self.decoded(entry), self.form.version))
        head = b'{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/%s","metadata":' % self.form.version.encode()
        return b"".join((head, _only_metadata(entry.value).metadata, b"}"))

    def _item(self, entry: Entry) -> Piece:
        """Returns one item of a list: built-in ones come without kind and version, and without being copied."""
        value = self._json(entry)
        if not self.resource.structural and value.startswith(self._head):
            return b",{", memoryview(value)[len(self._head) :]
        return b",", value

    def _many_rows(self, entries: Sequence[Entry], meta: dict[str, Any], now: float) -> Parts:
        """Encodes row by row, so that only one object at a time is held decoded."""
        printer = self.resource.printer or DEFAULT_PRINTER
        made = rows(printer, map(self.decoded, entries), self._include, now)
        return _spliced(_encode(self._table([], meta, now)), ((b",", _encode(row)) for row in made))

    def event(self, kind: str, entry: Entry, now: float, first: bool) -> bytes:
        """Returns one watch event, a line of JSON."""
        if self.form.shape == "object":
            shown = self._json(entry)
        else:
            shown = self.shown(self.decoded(entry), now, headers=first)
        return b'{"type":"%s","object":%s}\n' % (kind.encode(), shown)

    def bookmark(self, revision: int, annotations: dict[str, str] | None = None) -> bytes:
        """Returns the event that tells how far a watch has come."""
        meta: dict[str, Any] = {"resourceVersion": str(revision)}
        if annotations:
            meta["annotations"] = annotations
        obj: Object = {"kind": self.resource.kind, "apiVersion": self.resource.api_version, "metadata": meta}
        if self.form.shape == "partial":
            obj |= {"kind": "PartialObjectMetadata", "apiVersion": f"meta.k8s.io/{self.form.version}"}
        elif not self.resource.structural:
            complete(self.resource.schema, obj)  # an object with nothing in it shows what Go's types always show
        if self.form.shape == "table":
            obj = self._table([obj], {"resourceVersion": str(revision)}, 0, False)
        return b'{"type":"BOOKMARK","object":%s}\n' % _encode(obj)

    def _table(self, objects: Iterable[Object], meta: dict[str, Any], now: float, headers: bool = True) -> Object:
        printer = self.resource.printer or DEFAULT_PRINTER
        made = table(printer, objects, meta, self._include, now, headers=headers)
        made["apiVersion"] = f"meta.k8s.io/{self.form.version}"
        return made


def partial(obj: Object, version: str) -> Object:
    """Returns only the metadata of an object."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": obj["metadata"],
    }


def _spliced(frame: bytes, pieces: Iterable[Piece]) -> Parts:
    """Returns a list whose frame ends in an empty array, with items put into it, each with what stands before it."""
    parts: list[bytes | memoryview] = [frame[:-2]]
    for piece in pieces:
        parts += piece
    if len(parts) > 1:
        parts[1] = parts[1][1:]  # there is no comma before the first
    parts.append(frame[-2:])
    return Parts(parts)
