"""The options of a request, read from its query (and, for deletes, its body) and checked with the real messages."""

import re
from typing import Annotated, Any

import msgspec

from corral.engine.apiserver import failures, field_errors
from corral.engine.apiserver.apply.config_check import manager_errors
from corral.engine.apiserver.field_errors import FieldError

TRUE = frozenset(("1", "t", "T", "true", "TRUE", "True"))
FALSE = frozenset(("0", "f", "F", "false", "FALSE", "False"))


def boolean(query: dict[str, str], name: str) -> bool:
    """Returns a flag: present and neither false nor 0 means true."""
    value = query.get(name)
    return value is not None and value not in FALSE


def integer(query: dict[str, str], name: str) -> int | None:
    """Returns a whole number, None when absent; 400 for anything else."""
    value = query.get(name)
    if not value:
        return None
    try:
        number = int(value)
    except ValueError:
        raise failures.bad_request(f'strconv.ParseInt: parsing "{value}": invalid syntax') from None
    if not -(2**63) <= number < 2**63:
        raise failures.bad_request(f'strconv.ParseInt: parsing "{value}": value out of range')
    return number


def revision(text: str) -> int:
    """Returns a resourceVersion from a query as a number, 0 when absent."""
    if not text:
        return 0
    if not text.isascii() or not text.isdigit() or len(text) > 20:
        raise failures.bad_request(
            f'invalid resource version: resourceVersion: Invalid value: "{text}": '
            f'strconv.ParseUint: parsing "{text}": invalid syntax'
        )
    return int(text)


def revision_to_get(text: str) -> int:
    """Returns the resourceVersion of a get or watch; a real server calls a bad one its own fault."""
    if text and not (text.isascii() and text.isdigit()):
        problem = f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax'
        raise failures.ApiFailure(500, "", problem)
    return int(text or 0)


class WriteOptions(msgspec.Struct, frozen=True):
    """What every write may carry."""

    dry_run: bool = False
    field_manager: str = ""
    field_validation: str = "Warn"
    force: bool = False


def write_options(query: dict[str, str], kind: str) -> WriteOptions:
    """Returns the options of a create, update or patch; `kind` is CreateOptions, UpdateOptions or PatchOptions."""
    errors: list[FieldError] = []
    dry_run = query.get("dryRun", "")
    if dry_run not in ("", "All"):
        errors.append(field_errors.not_supported("dryRun", [dry_run], ["All"]))
    manager = query.get("fieldManager", "")
    errors += manager_errors(manager, apply=False)
    validation = query.get("fieldValidation", "")
    if validation not in ("", "Ignore", "Warn", "Strict"):
        errors.append(field_errors.not_supported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]))
    if errors:
        raise failures.invalid("meta.k8s.io", kind, "", errors)
    return WriteOptions(bool(dry_run), manager, validation or "Warn", boolean(query, "force"))


class DeleteOptions(msgspec.Struct, frozen=True):
    """What a delete may carry, in its query or its body."""

    dry_run: bool = False
    grace_period: int | None = None
    propagation: str = ""
    uid: str | None = None
    resource_version: str | None = None


def delete_options(query: dict[str, str], body: dict[str, Any] | None) -> DeleteOptions:
    """Returns the options of a delete; those in the body win over those in the query."""
    given = _checked_body(body) if body else _from_query(query)
    dry_run = given.get("dryRun") or []
    propagation = given.get("propagationPolicy") or ""
    orphan = given.get("orphanDependents")
    errors: list[FieldError] = []
    if orphan is not None and propagation:
        errors.append(
            field_errors.invalid(
                "propagationPolicy", propagation, "orphanDependents and deletionPropagation cannot be both set"
            )
        )
    if propagation not in ("", "Foreground", "Background", "Orphan"):
        errors.append(
            field_errors.not_supported("propagationPolicy", propagation, ["Foreground", "Background", "Orphan", "nil"])
        )
    if dry_run not in ([], ["All"]):
        errors.append(field_errors.not_supported("dryRun", dry_run, ["All"]))
    if errors:
        raise failures.invalid("meta.k8s.io", "DeleteOptions", "", errors)
    if orphan is not None:
        propagation = "Orphan" if orphan else "Background"
    conditions = given.get("preconditions") or {}
    return DeleteOptions(
        bool(dry_run),
        given.get("gracePeriodSeconds"),
        propagation,
        conditions.get("uid"),
        conditions.get("resourceVersion"),
    )


class _Preconditions(msgspec.Struct):
    uid: str | None = None
    resourceVersion: str | None = None  # noqa: N815 - the name on the wire


class _DeleteBody(msgspec.Struct):
    """The types of the fields that a delete reads; others are not looked at, as on a real server."""

    gracePeriodSeconds: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | None = None  # noqa: N815
    preconditions: _Preconditions | None = None
    orphanDependents: bool | None = None  # noqa: N815
    propagationPolicy: str | None = None  # noqa: N815
    dryRun: list[str] | None = None  # noqa: N815


def _checked_body(body: dict[str, Any]) -> dict[str, Any]:
    kind, version = body.get("kind") or "DeleteOptions", body.get("apiVersion") or "v1"
    if kind != "DeleteOptions":
        problem = f'no kind "{kind}" is registered for version "{version}" in scheme "pkg/runtime/scheme.go:110"'
        raise failures.ApiFailure(500, "", problem)
    try:
        msgspec.convert(body, _DeleteBody)
    except msgspec.ValidationError as error:
        raise failures.ApiFailure(500, "", _as_go_says(str(error))) from None
    return body


_GO_TYPES = {"int": "int64", "str": "string", "bool": "bool", "array": "[]string", "object": "v1.Preconditions"}
_JSON_TYPES = {"str": "string", "int": "number", "float": "number", "bool": "bool"}


def _as_go_says(problem: str) -> str:
    """Returns a complaint about a type in the words of Go's decoder, to which a real server leaves it."""
    found = re.match(r"Expected `(\w+)[^`]*`, got `(\w+)`(?: - at `\$\.?([^`]*)`)?", problem)
    if found is None:
        return problem
    wanted, got, path = found.groups()
    field = f"DeleteOptions.{path}" if path else "DeleteOptions"
    got = _JSON_TYPES.get(got, got)
    return f"json: cannot unmarshal {got} into Go struct field {field} of type {_GO_TYPES.get(wanted, wanted)}"


def _from_query(query: dict[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if query.get("dryRun"):
        given["dryRun"] = [query["dryRun"]]
    if query.get("propagationPolicy"):
        given["propagationPolicy"] = query["propagationPolicy"]
    if "orphanDependents" in query:
        given["orphanDependents"] = boolean(query, "orphanDependents")
    grace = integer(query, "gracePeriodSeconds")
    if grace is not None:
        given["gracePeriodSeconds"] = grace
    return given


class ListOptions(msgspec.Struct, frozen=True):
    """What a list or a watch may carry."""

    label_selector: str = ""
    field_selector: str = ""
    limit: int = 0
    continue_token: str = ""
    revision: int | None = None
    match: str = ""
    watch: bool = False
    bookmarks: bool = False
    initial_events: bool | None = None
    timeout_seconds: int | None = None


def list_options(query: dict[str, str]) -> ListOptions:
    """Returns the options of a list or watch, checked as a real server does."""
    watch = boolean(query, "watch")
    given = query.get("resourceVersion", "")
    match = query.get("resourceVersionMatch", "")
    initial = boolean(query, "sendInitialEvents") if "sendInitialEvents" in query else None
    token = query.get("continue", "")
    errors = _watch_errors(match, initial) if watch else _list_errors(given, match, initial, token)
    if errors:
        raise failures.invalid("meta.k8s.io", "ListOptions", "", errors)
    return ListOptions(
        label_selector=query.get("labelSelector", ""),
        field_selector=query.get("fieldSelector", ""),
        limit=max(integer(query, "limit") or 0, 0),
        continue_token=token,
        revision=(revision_to_get(given) if watch else revision(given)) if given else None,
        match=match,
        watch=watch,
        bookmarks=boolean(query, "allowWatchBookmarks"),
        initial_events=initial,
        timeout_seconds=integer(query, "timeoutSeconds"),
    )


def _watch_errors(match: str, initial: bool | None) -> list[FieldError]:
    if initial is not None:
        if match != "NotOlderThan":
            text = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
            errors = [field_errors.forbidden("resourceVersionMatch", text)]
            if match:
                errors.append(field_errors.not_supported("resourceVersionMatch", match, ["NotOlderThan"]))
            return errors
        return []
    if match:
        text = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        return [field_errors.forbidden("resourceVersionMatch", text)]
    return []


def _list_errors(given: str, match: str, initial: bool | None, token: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if match:
        if not given:
            text = "resourceVersionMatch is forbidden unless resourceVersion is provided"
            errors.append(field_errors.forbidden("resourceVersionMatch", text))
        if token:
            text = "resourceVersionMatch is forbidden when continue is provided"
            errors.append(field_errors.forbidden("resourceVersionMatch", text))
        if match not in ("Exact", "NotOlderThan"):
            errors.append(field_errors.not_supported("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]))
        if match == "Exact" and given == "0":
            text = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
            errors.append(field_errors.forbidden("resourceVersionMatch", text))
    if initial is not None:
        errors.append(field_errors.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return errors
