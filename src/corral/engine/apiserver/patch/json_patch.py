"""JSON patch (RFC 6902) as the real server runs it.

Three habits differ from the RFC and are kept, because clients rely on them: `replace` of an absent key adds it, a
`test` for null passes on an absent key, and negative array indices count from the end. Whatever operation fails, the
real server says only that it rejected the request; the reason is chained for our own log.
"""

import re
from collections.abc import Callable
from typing import Any

from corral.engine.apiserver.failures import ApiFailure, bad_request
from corral.engine.apiserver.patch.go_values import is_same, type_word
from corral.engine.apiserver.patch.refusals import rejected
from corral.engine.apiserver.schema.depth import weight

MAX_OPERATIONS = 10_000
MAX_COPIED_BYTES = 3 << 20


def apply(document: dict[str, Any], operations: Any) -> Any:
    """Returns the document after all operations, in order; any that fails rejects the whole patch with 422."""
    work = _Document(document)
    for operation in _checked(operations):
        try:
            work.run(operation)
        except _NotApplicable as problem:
            raise rejected() from problem
    return work.root


def _checked(operations: Any) -> list[dict[str, Any]]:
    if operations is None:
        return []
    if not isinstance(operations, list):
        raise _undecodable(operations, "Go value of type []handlers.jsonPatchOp")
    for operation in operations:
        if operation is not None and not isinstance(operation, dict):
            raise _undecodable(operation, "Go value of type handlers.jsonPatchOp")
        for name in ("op", "path", "from"):
            text = (operation or {}).get(name)
            if text is not None and not isinstance(text, str):
                raise _undecodable(text, f"Go struct field jsonPatchOp.{name} of type string")
    if len(operations) > MAX_OPERATIONS:
        text = f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(operations)}"
        raise ApiFailure(413, "RequestEntityTooLarge", f"Request entity too large: {text}")
    return [operation or {} for operation in operations]


def _undecodable(value: Any, target: str) -> ApiFailure:
    return bad_request(f"error decoding patch: json: cannot unmarshal {type_word(value)} into {target}")


class _NotApplicable(Exception):  # noqa: N818 - never leaves this module but as a cause
    """Says why an operation cannot be applied."""


class _Document:
    """A document under change: containers are copied the first time one of them changes, then changed in place."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._own: dict[int, Any] = {}
        self._copied = 0

    def run(self, operation: dict[str, Any]) -> None:
        """Applies one operation."""
        actions: dict[str, Callable[[dict[str, Any]], None]] = {
            "add": self._add,
            "remove": self._remove,
            "replace": self._replace,
            "move": self._move,
            "copy": self._copy,
            "test": self._test,
        }
        kind = operation.get("op") or "unknown"
        if kind not in actions:
            raise _NotApplicable(f"Unexpected kind: {kind}")
        actions[kind](operation)

    def _add(self, operation: dict[str, Any]) -> None:
        self._insert(_pointer(operation, "path"), operation.get("value"))

    def _remove(self, operation: dict[str, Any]) -> None:
        self._take(_pointer(operation, "path"))

    def _replace(self, operation: dict[str, Any]) -> None:
        path, value = _pointer(operation, "path"), operation.get("value")
        if not path:
            if not isinstance(value, dict | list):
                raise _NotApplicable("replace operation value must be object or array")
            self.root = value
            return
        container, key = self._place(path)
        container[key if isinstance(container, dict) else _index(key, len(container))] = value

    def _move(self, operation: dict[str, Any]) -> None:
        source = _pointer(operation, "from")
        value = self._take(source)
        self._insert(_pointer(operation, "path"), value)

    def _copy(self, operation: dict[str, Any]) -> None:
        value = self._find(_pointer(operation, "from"))
        # Copies of copies double with every operation, so what all of them add is bounded.
        self._copied += weight(value, MAX_COPIED_BYTES)
        if self._copied > MAX_COPIED_BYTES:
            text = f"the copies of this JSON patch add more than {MAX_COPIED_BYTES} bytes"
            raise ApiFailure(413, "RequestEntityTooLarge", f"Request entity too large: {text}")
        # The value now stands in two places, so no container may be changed in place any more.
        self._own.clear()
        self._insert(_pointer(operation, "path"), value)

    def _test(self, operation: dict[str, Any]) -> None:
        path = _pointer(operation, "path")
        found = self._find(path) if path else self.root
        if not is_same(found, operation.get("value")):
            raise _NotApplicable(f"testing value {path} failed: test failed")

    def _insert(self, path: str, value: Any) -> None:
        container, key = self._place(path)
        if isinstance(container, dict):
            container[key] = value
        elif key == "-":
            container.append(value)
        else:
            container.insert(_index(key, len(container) + 1), value)

    def _take(self, path: str) -> Any:
        container, key = self._place(path)
        if isinstance(container, list):
            return container.pop(_index(key, len(container)))
        if key not in container:
            raise _NotApplicable(f"Unable to remove nonexistent key: {key}")
        return container.pop(key)

    def _find(self, path: str) -> Any:
        *steps, last = _steps(path)
        container = self.root
        for step in steps:
            container = _child(container, step, path)
        if isinstance(container, list):
            return container[_index(last, len(container))]
        if isinstance(container, dict):
            return container.get(last)
        raise _NotApplicable(f"doc is missing path: {path}")

    def _place(self, path: str) -> tuple[Any, str]:
        """Returns the container that holds the path's last step, ready to be changed, and that step."""
        *steps, last = _steps(path)
        if not isinstance(self.root, dict | list):
            raise _NotApplicable(f"doc is missing path: {path}")
        container = self.root = self._owned(self.root)
        for step in steps:
            child = _child(container, step, path)
            if not isinstance(child, dict | list):
                raise _NotApplicable(f"doc is missing path: {path}")
            child = self._owned(child)
            container[step if isinstance(container, dict) else _index(step, len(container))] = child
            container = child
        return container, last

    def _owned(self, container: Any) -> Any:
        if id(container) in self._own:
            return container
        fresh = container.copy()
        # Kept by identity together with the object itself, so that the identity stays taken.
        self._own[id(fresh)] = fresh
        return fresh


def _pointer(operation: dict[str, Any], name: str) -> str:
    path = operation.get(name)
    if path is None:
        raise _NotApplicable(f"operation missing {name} field: missing value")
    return str(path)


def _steps(path: str) -> list[str]:
    pieces = path.split("/")[1:]
    if not pieces:
        raise _NotApplicable(f'doc is missing path: "{path}": missing value')
    return [piece.replace("~1", "/").replace("~0", "~") if "~" in piece else piece for piece in pieces]


def _child(container: Any, step: str, path: str) -> Any:
    child = None
    if isinstance(container, dict):
        child = container.get(step)
    elif isinstance(container, list):
        child = container[_index(step, len(container))]
    if child is None:
        raise _NotApplicable(f"doc is missing path: {path}")
    return child


def _index(step: str, size: int) -> int:
    if re.fullmatch(r"[+-]?[0-9]{1,18}", step, re.ASCII) is None:
        raise _NotApplicable(f"value was not a proper array index: '{step}'")
    index = int(step)
    if index >= size or index < -size:
        raise _NotApplicable(f"Unable to access invalid index: {index}")
    return index + size if index < 0 else index
