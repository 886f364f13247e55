"""How stored objects look to one client: version, shape (object, metadata, table) and encoding.

The common case, a JSON object in the version in which it rests, is a copy of stored bytes; everything else decodes.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from corral.engine.apiserver.http.negotiation import Form
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.resources.tables.printers import DEFAULT_PRINTER
from corral.engine.apiserver.resources.tables.rendering import table
from corral.engine.apiserver.storage.entry import Entry

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class View:
    """One client's view of one resource."""

    def __init__(self, resource: Resource, form: Form, include: str = "Metadata") -> None:
        self.resource = resource
        self.form = form
        self._include = include
        self._raw = resource.from_storage is None and resource.storage_version in ("", resource.version)
        head = f'{{"kind":"{resource.kind}","apiVersion":"{resource.api_version}",'
        self._head = head.encode()
        self.key = (resource.api_version, form.shape, include)

    def decoded(self, entry: Entry) -> Object:
        """Returns a fresh copy of the object in this view's version."""
        obj: Object = _decode(entry.value)
        return obj if self._raw else self.converted(obj)

    def converted(self, stored: Object) -> Object:
        """Returns a stored object in this view's version; may change the one it is given."""
        if self.resource.from_storage is not None:
            stored = self.resource.from_storage(stored)
        stored["apiVersion"] = self.resource.api_version
        return stored

    def one(self, entry: Entry, now: float) -> bytes:
        """Returns a single object as JSON."""
        if self._raw and self.form.shape == "object":
            return entry.value
        return self.shown(self.decoded(entry), now)

    def shown(self, obj: Object, now: float, headers: bool = True) -> bytes:
        """Returns a decoded object of this view's version as JSON in this view's shape."""
        if self.form.shape == "partial":
            return _encode(partial(obj, self.form.version))
        if self.form.shape == "table":
            meta = {"resourceVersion": obj["metadata"].get("resourceVersion", "")}
            return _encode(self._table([obj], meta, now, headers))
        return _encode(obj)

    def many(self, entries: Sequence[Entry], meta: dict[str, Any], now: float) -> bytes:
        """Returns a list as JSON."""
        if self.form.shape == "table":
            return _encode(self._table((self.decoded(e) for e in entries), meta, now))
        if self.form.shape == "partial":
            head = {
                "kind": "PartialObjectMetadataList",
                "apiVersion": f"meta.k8s.io/{self.form.version}",
                "metadata": meta,
            }
            return _encode(head | {"items": [partial(self.decoded(e), self.form.version) for e in entries]})
        resource = self.resource
        head = {"kind": list_kind(resource), "apiVersion": resource.api_version, "metadata": meta}
        return b"".join((_encode(head)[:-1], b',"items":[', b",".join(map(self._item, entries)), b"]}"))

    def _item(self, entry: Entry) -> bytes:
        value = entry.value if self._raw else _encode(self.decoded(entry))
        if not self.resource.structural and value.startswith(self._head):
            return b"{" + value[len(self._head) :]
        return value

    def event(self, kind: str, entry: Entry, now: float, first: bool) -> bytes:
        """Returns one watch event, a line of JSON."""
        if self._raw and self.form.shape == "object":
            shown = entry.value
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
        elif self.form.shape == "table":
            obj = self._table([], {"resourceVersion": str(revision)}, 0, False)
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


def list_kind(resource: Resource) -> str:
    """Returns the kind of a list of this resource."""
    return str(resource.annotations.get("listKind") or f"{resource.kind}List")
