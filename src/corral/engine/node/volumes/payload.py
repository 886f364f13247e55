"""Which files a volume has that is made of objects: ConfigMaps, Secrets, fields of the pod, tokens. Pure.

Texts pass through `translate`, by which addresses and paths in them become those of this machine; the objects in the API
stay as they are. Tokens and binary data do not.
"""

from collections.abc import Callable
from typing import NamedTuple

from corral.engine.node.downward import PodFacts, UnknownFieldError, field_value, resource_value
from corral.engine.node.fetched import Fetched, decoded, not_found
from corral.engine.node.volumes.faults import VolumeFaultError
from corral.engine.node.volumes.references import TokenRequest, token_request
from corral.kinds.objects import Object

_MODE = 0o644
_LONGEST_NAME = 255
_REFUSED = ("clusterTrustBundle", "podCertificate")

Token = Callable[[TokenRequest], str]
"""Returns a token that was fetched before."""


class File(NamedTuple):
    """One file of a volume."""

    content: bytes
    mode: int = _MODE


Payload = dict[str, File]
"""The files of a volume by their path in it."""


def unchanged(text: str) -> str:
    """Translates nothing."""
    return text


class Ingredients(NamedTuple):
    """Everything that the files of a pod's volumes are made of."""

    facts: PodFacts
    fetched: Fetched = Fetched()
    token: Token | None = None
    translate: Callable[[str], str] = unchanged


def payload_of(kind: str, source: Object, ingredients: Ingredients) -> Payload:
    """Returns the files of a volume; raises VolumeFaultError with everything that is missing."""
    mode = _MODE if source.get("defaultMode") is None else source["defaultMode"]
    parts = source.get("sources") or () if kind == "projected" else ({kind: source},)
    files, faults = Payload(), []
    for part in parts:
        try:
            files |= _part(part, mode, ingredients)
        except VolumeFaultError as error:
            faults.append(str(error))
    faults += [fault for path in files if (fault := path_fault(path))]
    if faults:
        raise VolumeFaultError("; ".join(faults))
    return files


def path_fault(path: str) -> str:
    """Returns why a path cannot be that of a file in a volume, nothing when it can."""
    parts = path.split("/")
    if path.startswith("/"):
        return f"{path!r} must be a relative path"
    if ".." in parts:
        return f"{path!r} must not contain '..'"
    if parts[0].startswith(".."):
        return f"{path!r} must not start with '..'"
    if any(part in ("", ".") for part in parts):
        return f"{path!r} is no path of a file"
    if any(len(part.encode()) > _LONGEST_NAME for part in parts) or "\0" in path:
        return f"{path[:40]!r}... is no name that a file can have"
    return ""


def _part(part: Object, mode: int, ingredients: Ingredients) -> Payload:
    if part.get("configMap") is not None:
        return _of_config_map(part["configMap"], mode, ingredients)
    if part.get("secret") is not None:
        return _of_secret(part["secret"], mode, ingredients)
    if part.get("downwardAPI") is not None:
        return _of_pod(part["downwardAPI"], mode, ingredients)
    if part.get("serviceAccountToken") is not None:
        return _of_account(part["serviceAccountToken"], mode, ingredients)
    refused = next((field for field in _REFUSED if part.get(field) is not None), ", ".join(part) or "nothing")
    raise VolumeFaultError(f"a projected {refused} is not supported on this node; use a ConfigMap or a Secret")


def _of_config_map(source: Object, mode: int, ingredients: Ingredients) -> Payload:
    name = source.get("name", "")
    found = ingredients.fetched.config_maps.get(name)
    if found is None:
        return _absent("configmap", name, source)
    contents = {key: ingredients.translate(text).encode() for key, text in (found.get("data") or {}).items()}
    contents |= {key: decoded(value) for key, value in (found.get("binaryData") or {}).items()}
    return _chosen(contents, source, mode, "configmap references non-existent config key")


def _of_secret(source: Object, mode: int, ingredients: Ingredients) -> Payload:
    name = source.get("secretName") or source.get("name", "")
    found = ingredients.fetched.secrets.get(name)
    if found is None:
        return _absent("secret", name, source)
    data = (found.get("data") or {}).items()
    contents = {key: _translated(decoded(value), ingredients.translate) for key, value in data}
    return _chosen(contents, source, mode, "references non-existent secret key")


def _absent(kind: str, name: str, source: Object) -> Payload:
    if source.get("optional"):
        return Payload()
    raise VolumeFaultError(not_found(kind, name))


def _chosen(contents: dict[str, bytes], source: Object, mode: int, complaint: str) -> Payload:
    """Returns all contents under their keys, or the listed ones under the paths that the list gives them."""
    items = source.get("items")
    if not items:
        return {key: File(content, mode) for key, content in contents.items()}
    missing = [item["key"] for item in items if item["key"] not in contents]
    if missing and not source.get("optional"):
        raise VolumeFaultError(f"{complaint}: {', '.join(missing)}")
    return {item["path"]: File(contents[item["key"]], _mode(item, mode)) for item in items if item["key"] in contents}


def _of_pod(source: Object, mode: int, ingredients: Ingredients) -> Payload:
    files = Payload()
    for item in source.get("items") or ():
        try:
            if item.get("fieldRef"):
                text = field_value(ingredients.facts, item["fieldRef"].get("fieldPath", ""))
            else:
                text = resource_value(ingredients.facts, item.get("resourceFieldRef") or {}, "")
        except UnknownFieldError as error:
            raise VolumeFaultError(f"{item['path']}: {error}") from error
        files[item["path"]] = File(ingredients.translate(text).encode(), _mode(item, mode))
    return files


def _of_account(source: Object, mode: int, ingredients: Ingredients) -> Payload:
    if ingredients.token is None:
        raise VolumeFaultError("tokens of service accounts are not given out on this node")
    return {source["path"]: File(ingredients.token(token_request(source)).encode(), mode)}


def _mode(item: Object, mode: int) -> int:
    return mode if item.get("mode") is None else int(item["mode"])


def _translated(content: bytes, translate: Callable[[str], str]) -> bytes:
    if b"\0" in content:
        return content
    try:
        return translate(content.decode()).encode()
    except UnicodeDecodeError:
        return content
