"""Which form a client wants: the object, only its metadata, or a table; as JSON or YAML."""

import msgspec

from corral.engine.apiserver import failures

AVAILABLE = ("application/json", "application/yaml")
BODY_TYPES = ("application/json", "application/yaml")


class Form(msgspec.Struct, frozen=True):
    """The form of an answer: `shape` is object, partial or table; `yaml` chooses the encoding."""

    shape: str = "object"
    yaml: bool = False
    version: str = "v1"


JSON = Form()

_cache: dict[bytes, Form | None] = {}


def form_of(accept: bytes) -> Form:
    """Returns the first form in an Accept header that we can make; 406 when there is none."""
    if not accept or accept == b"application/json":
        return JSON
    if accept not in _cache and len(_cache) < 256 and len(accept) < 512:
        _cache[accept] = _parsed(accept.decode("latin-1"))
    form = _cache[accept] if accept in _cache else _parsed(accept.decode("latin-1"))
    if form is None:
        raise failures.ApiFailure(
            406,
            "NotAcceptable",
            "406: Not Acceptable\n\nAvailable representations: "
            + ", ".join((*AVAILABLE, "application/json;stream=watch")),
            details={},
        )
    return form


def _parsed(accept: str) -> Form | None:
    for clause in accept.split(","):
        kind, *parameters = (part.strip() for part in clause.split(";"))
        if kind not in ("application/json", "application/yaml", "*/*", "application/*"):
            continue
        given = dict(p.split("=", 1) for p in parameters if "=" in p)
        shape = _shape(given)
        if shape:
            return Form(shape, kind == "application/yaml", given.get("v", "v1"))
    return None


def _shape(given: dict[str, str]) -> str:
    wanted = given.get("as", "")
    if not wanted:
        return "object"
    if given.get("g") != "meta.k8s.io" or given.get("v") not in ("v1", "v1beta1"):
        return ""
    if wanted in ("PartialObjectMetadata", "PartialObjectMetadataList"):
        return "partial"
    return "table" if wanted == "Table" else ""
