"""Which form a client wants: the object, only its metadata, or a table; as JSON or YAML."""

import msgspec

from corral.engine.apiserver import failures

AVAILABLE = ("application/json", "application/yaml")
BODY_TYPES = ("application/json", "application/yaml")


class Form(msgspec.Struct, frozen=True):
    """The form of an answer: `shape` is object, partial or table; `yaml` chooses the encoding."""

    shape: str = "object"
    of_list: bool | None = None
    """Whether the metadata of a list was asked for, or that of one object; None where it makes no difference."""
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
        raise _not_acceptable(accept.decode("latin-1"))
    return form


def check_shape(form: Form, is_list: bool, go_type: str) -> None:
    """Refuses to show one object as a list, or the other way round; `go_type` is what a real server calls the object."""
    if form.of_list is None or form.of_list == is_list:
        return
    wanted = "PartialObjectMetadataList" if form.of_list else "PartialObjectMetadata"
    found = f"is a list (*{go_type}List)" if is_list else f"is not a list (*{go_type})"
    raise failures.ApiFailure(406, "NotAcceptable", f"you requested {wanted}, but the requested object {found}")


def _not_acceptable(accept: str) -> failures.ApiFailure:
    if any(_kind(clause) for clause in accept.split(",")):
        text = f"only the following media types are accepted: {', '.join(AVAILABLE)}"
        return failures.ApiFailure(406, "NotAcceptable", text)
    text = f"406: Not Acceptable\n\nAvailable representations: {', '.join(AVAILABLE)}"
    return failures.ApiFailure(406, "NotAcceptable", text, details={})


def _kind(clause: str) -> str:
    kind = clause.split(";")[0].strip()
    return kind if kind in ("application/json", "application/yaml", "*/*") else ""


def _parsed(accept: str) -> Form | None:
    for clause in accept.split(","):
        kind = _kind(clause)
        if not kind:
            continue
        given = dict(p.strip().split("=", 1) for p in clause.split(";")[1:] if "=" in p)
        form = _shaped(given, kind == "application/yaml")
        if form:
            return form
    return None


def _shaped(given: dict[str, str], yaml: bool) -> Form | None:
    wanted = given.get("as", "")
    if not wanted:
        return Form("object", None, yaml)
    version = given.get("v", "")
    if given.get("g") != "meta.k8s.io" or version not in ("v1", "v1beta1"):
        return None
    if wanted == "Table":
        return Form("table", None, yaml, version)
    if wanted in ("PartialObjectMetadata", "PartialObjectMetadataList"):
        return Form("partial", wanted.endswith("List"), yaml, version)
    return None
