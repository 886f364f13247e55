"""What two servers cannot have in common is replaced by marks: uids, revisions, times, generated names, addresses.

Marks are numbered by first appearance within a story, so that "the same uid as before" still has to be the same uid.
Everything else is compared as it is, byte for byte in strings.
"""

import re
from collections.abc import Callable
from typing import Any

_UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TIME = re.compile(r"\b20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(?:Z|\+00:00)")
_AGE = re.compile(r"^(\d+(ms|s|m|h|d|y))+$")
_REVISION_IN_TEXT = re.compile(
    r"(?<=resource version: )\d+( \(\d+\))?|(?<=, current: )\d+|(?<=precondition \()\d+(?=\))|(?<=in record \()\d+(?=\))"
    r"|(?<=in object meta: )\d+$"
)
_REVISION_IN_OBJECT = re.compile(r'(?<=resourceVersion\\":\\")[1-9]\d*|(?<=resourceVersion":")[1-9]\d*')
"""Some messages quote the whole object."""
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_AGES = ("Age", "Last Seen", "First Seen")


class Masks:
    """The marks of one story."""

    def __init__(self, own: dict[str, str]) -> None:
        self._own = own
        """What belongs to the story itself: its namespace, its number."""
        self._marks: dict[str, dict[str, str]] = {}
        self._words: dict[str, str] = {}
        """Generated names and addresses: known values that are replaced wherever they occur."""
        self._generated: list[re.Pattern[str]] = []
        self._columns: list[str] = []
        """The headings of the Table seen last; only the first event of a watch carries them."""

    def masked(self, value: Any) -> Any:
        """Returns an answer with everything random replaced."""
        self._learn(value)
        return self._value(value)

    def expect(self, prefix: str) -> None:
        """Lets names that begin with a prefix and go on with five letters count as generated."""
        self._generated.append(re.compile(re.escape(prefix) + f"[{_LETTERS}]{{5}}\\b"))

    def text(self, text: str) -> str:
        """Returns a text with everything random replaced."""
        for pattern in self._generated:
            for name in pattern.findall(text):
                self._words.setdefault(name, self._mark("generated name", name))
        for word in sorted(self._words, key=len, reverse=True):
            text = text.replace(word, self._words[word])
        for value, hole in self._own.items():
            text = text.replace(value, hole)
        text = _UID.sub(lambda found: self._mark("uid", found[0]), text)
        text = _TIME.sub(lambda found: "<time with fractions>" if found[1] else "<time>", text)
        text = _REVISION_IN_OBJECT.sub(lambda found: self._mark("version", found[0]), text)
        return _REVISION_IN_TEXT.sub("<revision>", text)

    def _mark(self, kind: str, value: str) -> str:
        known = self._marks.setdefault(kind, {})
        return known.setdefault(value, f"<{kind} {len(known) + 1}>")

    def _learn(self, value: Any) -> None:
        """Notes names that the server made up and addresses that it gave out, before anything is replaced."""
        if isinstance(value, list):
            for item in value:
                self._learn(item)
        if not isinstance(value, dict):
            return
        prefix, name = value.get("generateName"), value.get("name")
        if prefix and isinstance(name, str) and name.startswith(prefix) and name not in self._words:
            self._words[name] = self._mark("generated name", name)
        if isinstance(digest := value.get("pod-template-hash"), str):
            self._words[digest] = self._mark("hash of a template", digest)
        for address in [value.get("clusterIP"), *(value.get("clusterIPs") or ())]:
            if isinstance(address, str) and address not in ("", "None"):
                self._words[address] = self._mark("address", address)
        for item in value.values():
            self._learn(item)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if not isinstance(value, dict):
            return value
        if value.get("kind") == "Table":
            value = self._without_ages(value)
        if value.get("type") == "BOOKMARK":
            value = value | {"object": _without_revision(value["object"])}
        made = {self.text(key): self._field(key, item) for key, item in value.items()}
        if isinstance(made.get("managedFields"), list):
            made["managedFields"].sort(key=_owner)  # the server sorts by time, to the second
        if made.keys() & {"items", "rows"} and isinstance(made.get("metadata"), dict):
            made["metadata"] = made["metadata"] | (_UNTOLD if _has_revision(made) else {})
        return made

    def _field(self, key: str, value: Any) -> Any:
        special: dict[str, Callable[[Any], Any]] = {
            "resourceVersion": lambda v: self._mark("version", v) if _is_revision(v) else v,
            "continue": lambda v: "<continue>" if v else v,
            "nodePort": lambda v: self._port(v) if isinstance(v, int) and v else v,
            "healthCheckNodePort": lambda v: self._port(v) if isinstance(v, int) and v else v,
        }
        return special.get(key, self._value)(value)

    def _port(self, port: int) -> str:
        return self._words.setdefault(str(port), self._mark("port", str(port)))

    def _without_ages(self, table: dict[str, Any]) -> dict[str, Any]:
        """Masks the cells of a Table that tell how old something is."""
        if columns := table.get("columnDefinitions"):
            self._columns = [str(column["name"]) for column in columns]
        rows = [row | {"cells": self._cells(row["cells"])} for row in table.get("rows") or ()]
        return table | ({"rows": rows} if table.get("rows") else {})

    def _cells(self, cells: list[Any]) -> list[Any]:
        if len(cells) != len(self._columns):
            return cells
        return [
            "<age>" if column in _AGES and isinstance(cell, str) and _AGE.match(cell) else cell
            for column, cell in zip(self._columns, cells, strict=True)
        ]


def _without_revision(bookmark: dict[str, Any]) -> dict[str, Any]:
    """Masks how far a watch has come, which depends on what else is written meanwhile; a Table tells it in its row as well."""
    told = bookmark | {"metadata": bookmark["metadata"] | _UNTOLD}
    rows = [row | {"object": _without_revision(row["object"])} for row in bookmark.get("rows") or ()]
    return told | ({"rows": rows} if rows else {})


def in_order(status: dict[str, Any]) -> dict[str, Any]:
    """Returns a Status with its causes sorted, in its details and in its message."""
    causes = (status.get("details") or {}).get("causes") or []
    said = sorted({f"{cause['field']}: {cause['message']}" for cause in causes})
    head, _, _ = status["message"].partition("[")
    ordered = sorted(causes, key=lambda cause: (cause["field"], cause["message"]))
    return status | {"message": f"{head}[{', '.join(said)}]", "details": status["details"] | {"causes": ordered}}


_UNTOLD = {"resourceVersion": "<revision>"}
"""The revision of a list or bookmark, which other writers move on."""


def _is_revision(value: Any) -> bool:
    return isinstance(value, str) and value.isdigit() and value != "0"


def _owner(entry: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(entry.get(key, "")) for key in ("manager", "operation", "subresource", "apiVersion"))


def _has_revision(made: dict[str, Any]) -> bool:
    return "uid" not in made["metadata"] and bool(made["metadata"].get("resourceVersion"))
