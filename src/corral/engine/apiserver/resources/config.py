"""ConfigMap and Secret: named bytes that pods read."""

import json
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, required, too_long
from corral.engine.apiserver.grammar.names import config_key_faults, size
from corral.engine.apiserver.resources.metadata_validation import IMMUTABLE
from corral.engine.apiserver.resources.resource import Object, Strategy

SIZE_LIMIT = 1024 * 1024
"""The most bytes that the values of one ConfigMap or Secret may have together."""
_ACCOUNT_ANNOTATION = "kubernetes.io/service-account.name"
_SEALED = "field is immutable when `immutable` is set"
_NEEDED_KEYS = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}
_JSON_TYPES = ("kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson")


class ConfigMapStrategy(Strategy):
    """ConfigMaps."""

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks keys and the size of all values together."""
        data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
        errors: list[FieldError] = []
        for key in data:
            errors += _key_errors("data", key)
            if key in binary:
                errors.append(invalid(f"data[{key}]", key, "duplicate of key present in binaryData"))
        for key in binary:
            errors += _key_errors("binaryData", key)
        if sum(map(size, data.values())) + _decoded_size(binary) > SIZE_LIMIT:
            errors.append(too_long("[]", SIZE_LIMIT))  # the whole object is meant
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses changes of a sealed ConfigMap."""
        return _sealed_errors(new, old, "data", "binaryData")


class SecretStrategy(Strategy):
    """Secrets; what came in `stringData` rests in `data`."""

    def default(self, obj: Object) -> None:
        """Sets the type and folds plain values into data."""
        obj["type"] = obj.get("type") or "Opaque"
        plain = obj.pop("stringData", None)
        if plain:
            encoded = {key: b64encode(text.encode()).decode() for key, text in plain.items()}
            obj["data"] = {**(obj.get("data") or {}), **encoded}

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks keys, size, and what the type asks for."""
        data, kind = obj.get("data") or {}, obj["type"]
        errors = [error for key in data for error in _key_errors("data", key)]
        if _decoded_size(data) > SIZE_LIMIT:
            errors.append(too_long("data", SIZE_LIMIT))
        if kind == "kubernetes.io/service-account-token":
            if not (obj["metadata"].get("annotations") or {}).get(_ACCOUNT_ANNOTATION):
                errors.append(required(f"metadata.annotations[{_ACCOUNT_ANNOTATION}]"))
        elif kind == "kubernetes.io/basic-auth" and "username" not in data and "password" not in data:
            errors += [required("data[username]"), required("data[password]")]
        for key in _NEEDED_KEYS.get(kind, ()):
            if key not in data or (kind == "kubernetes.io/ssh-auth" and not data[key]):
                errors.append(required(f"data[{key}]"))
            elif kind in _JSON_TYPES:
                errors += _json_errors(f"data[{key}]", data[key])
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses another type, and changes of a sealed Secret."""
        errors = [] if new["type"] == old.get("type", "") else [invalid("type", new["type"], IMMUTABLE)]
        return errors + _sealed_errors(new, old, "data")

    def selectable(self, obj: Object) -> dict[str, str]:
        """Offers the type."""
        return {"type": obj.get("type", "")}


def _key_errors(field: str, key: str) -> list[FieldError]:
    return [invalid(f"{field}[{key}]", key, fault) for fault in config_key_faults(key)]


def _decoded_size(values: Mapping[str, str]) -> int:
    return sum(len(text) * 3 // 4 - text[-2:].count("=") for text in values.values())


def _sealed_errors(new: Object, old: Object, *fields: str) -> list[FieldError]:
    if not old.get("immutable"):
        return []
    errors = [] if new.get("immutable") else [forbidden("immutable", _SEALED)]
    changed = (field for field in fields if (new.get(field) or {}) != (old.get(field) or {}))
    return errors + [forbidden(field, _SEALED) for field in changed]


def _json_errors(path: str, encoded: str) -> list[FieldError]:
    fault = json_fault(encoded)
    return [invalid(path, "<secret contents redacted>", fault)] if fault else []


def json_fault(encoded: str) -> str:
    """Returns why base64 text does not hold a JSON object, in the words of Go's decoder; "" when it does."""
    try:
        text = b64decode(encoded).decode("utf-8", "replace")
        value: Any = json.loads(text)
    except Base64Error:
        return "unexpected end of JSON input"
    except json.JSONDecodeError as error:
        if error.pos >= len(text):
            return "unexpected end of JSON input"
        found = text[error.pos]
        return f"invalid character '{found}' looking for beginning of value"
    if value is None or isinstance(value, dict):
        return ""
    names = {str: "string", bool: "bool", list: "array"}
    return f"json: cannot unmarshal {names.get(type(value), 'number')} into Go value of type map[string]interface {{}}"
