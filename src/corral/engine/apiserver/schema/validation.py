"""Validates a custom resource against its schema, with the findings and the words of kube-apiserver.

Every rule that applies is checked and every finding kept. On update a part that did not change may stay wrong, so
that a schema can be tightened without locking out the objects that exist ("ratcheting").
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from corral.engine.apiserver.field_errors import FieldError
from corral.engine.apiserver.schema.node import Schema
from corral.engine.apiserver.schema.uniqueness import duplicates
from corral.engine.apiserver.schema.validity import is_valid
from corral.engine.apiserver.schema.value_rules import (
    number_findings,
    string_findings,
    too_many,
    type_finding,
    unsupported,
)

_ABSENT = object()


class _Verdict(NamedTuple):
    """What one schema says of one value; `matches` ranks alternatives, to tell the user of the nearest one."""

    findings: list[FieldError]
    matches: int


def validate(schema: Schema, obj: Any, old: Any = None) -> list[FieldError]:
    """Returns everything wrong with an object: violations of rules, then elements that stand twice in sets and maps.

    With `old` given, violations in unchanged parts are forgiven, and repeated elements if there were some before.
    """
    findings = violations(schema, obj, old)
    if old is None or next(duplicates(schema, old), None) is None:
        findings.extend(duplicates(schema, obj))
    return findings


def violations(schema: Schema, value: Any, old: Any = None, path: str = "") -> list[FieldError]:
    """Returns every rule that a value breaks; findings stand below `path`."""
    if is_valid(schema, value):
        return []
    verdict = _validate(schema, value, "", _ABSENT if old is None else old)
    return [_under(path, finding) for finding in dict.fromkeys(verdict.findings)]


def _under(path: str, finding: FieldError) -> FieldError:
    """Moves a finding below a path; the sentence itself keeps the inner one, as kube-apiserver does."""
    if not path:
        return finding
    inner = f"{path}.{finding.path}" if finding.path not in ("", "<nil>") else path
    return FieldError(finding.kind, inner, finding.text)


def _validate(schema: Schema, value: Any, path: str, old: Any) -> _Verdict:
    verdict = _judge(schema, value, path, old)
    if verdict.findings and old is not _ABSENT and value == old and _same_types(value, old):
        return _Verdict([], verdict.matches)
    return verdict


def _judge(schema: Schema, value: Any, path: str, old: Any) -> _Verdict:
    mismatch = type_finding(schema, value, path)
    findings = [] if mismatch is None else [mismatch]
    matches = 0 if mismatch else 1
    rules = schema.rules
    if value is None:
        if rules.get("enum"):
            findings.append(unsupported(path, value, rules["enum"]))
        return _Verdict(findings, matches)
    parts = [_junctors(schema, value, path, old), _own_rules(schema, value, path, old)]
    for part in parts:
        findings.extend(part.findings)
        matches += part.matches + 1
    return _Verdict(findings, matches + 1)


def _own_rules(schema: Schema, value: Any, path: str, old: Any) -> _Verdict:
    """Checks the value rules of its type, then the enumeration, then what is inside: the order of the real server."""
    rules = schema.rules
    findings: list[FieldError] = []
    matches = 0
    inside = _Verdict([], 0)
    if isinstance(value, str):
        findings.extend(string_findings(schema, value, path))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        findings.extend(number_findings(rules, value, path))
    elif isinstance(value, list):
        inside = _items(schema, value, path, old)
        findings.extend(inside.findings)
        matches = 1
    if rules.get("enum") and not any(_is_same_constant(value, allowed) for allowed in rules["enum"]):
        findings.append(unsupported(path, value, rules["enum"]))
    if isinstance(value, dict):
        inside = _fields(schema, value, path, old)
        findings.extend(inside.findings)
    return _Verdict(findings, matches + inside.matches)


def _items(schema: Schema, value: list[Any], path: str, old: Any) -> _Verdict:
    findings: list[FieldError] = []
    matches = 0
    if schema.items is not None:
        for index, item in enumerate(value):
            verdict = _validate(schema.items, item, f"{path}[{index}]", _old_item(schema, item, old))
            findings.extend(verdict.findings)
            matches += verdict.matches
    size, rules = len(value), schema.rules
    if size < rules.get("minItems", 0):
        text = f"{size}: {path} in body should have at least {rules['minItems']} items"
        findings.append(FieldError("Invalid value", path, text))
    if size > rules.get("maxItems", size):
        findings.append(too_many(path, size, rules["maxItems"]))
    if rules.get("uniqueItems") and any(item in value[:index] for index, item in enumerate(value)):
        findings.append(FieldError("Invalid value", path, f'"": {path} in body shouldn\'t contain duplicates'))
    return _Verdict(findings, matches)


def _fields(schema: Schema, value: dict[str, Any], path: str, old: Any) -> _Verdict:
    findings = list(_size_findings(schema, value, path))
    matches = 0
    for key, item in value.items():
        child = schema.properties.get(key) or schema.additional
        if child is not None:
            where = f"{path}.{key}" if path or key not in schema.properties else key
            verdict = _validate(child, item, where, _old_field(old, key, path))
            findings.extend(verdict.findings)
            matches += verdict.matches
    missing = [key for key in schema.required if key not in value]
    findings.extend(FieldError("Required value", f"{path}.{key}" if path else key) for key in missing)
    return _Verdict(findings, matches)


def _size_findings(schema: Schema, value: dict[str, Any], path: str) -> Iterator[FieldError]:
    size, rules = len(value), schema.rules
    if size < rules.get("minProperties", 0):
        text = f"{size}: {path} in body should have at least {rules['minProperties']} properties"
        yield FieldError("Invalid value", path, text)
    if size > rules.get("maxProperties", size):
        yield too_many(path, size, rules["maxProperties"])
    if rules.get("closed"):
        for key in value:
            if key not in schema.properties:
                text = f'"{key}": {path}.{key} in body is a forbidden property'
                yield FieldError("Invalid value", path, text)


def _junctors(schema: Schema, value: Any, path: str, old: Any) -> _Verdict:
    """Checks anyOf, oneOf, allOf and not; of several alternatives the nearest explains what is wrong."""
    rules = schema.rules
    findings: list[FieldError] = []
    matches = 0
    if "anyOf" in rules:
        verdict = _any_of([_judge(option, value, path, old) for option in rules["anyOf"]], path)
        findings, matches = findings + verdict.findings, matches + verdict.matches
    if "oneOf" in rules:
        verdict = _one_of([_judge(option, value, path, old) for option in rules["oneOf"]], path)
        findings, matches = findings + verdict.findings, matches + verdict.matches
    if "allOf" in rules:
        verdict = _all_of([_judge(option, value, path, old) for option in rules["allOf"]], path)
        findings, matches = findings + verdict.findings, matches + verdict.matches
    if "not" in rules and not _judge(rules["not"], value, path, old).findings:
        findings.append(_composite(f'"{path}" must not validate the schema (not)'))
    return _Verdict(findings, matches + 1)


def _any_of(verdicts: list[_Verdict], path: str) -> _Verdict:
    valid = next((verdict for verdict in verdicts if not verdict.findings), None)
    if valid is not None:
        return valid
    nearest = max(verdicts, key=lambda verdict: verdict.matches)
    problem = _composite(f'"{path}" must validate at least one schema (anyOf)')
    return _Verdict([problem, *nearest.findings], nearest.matches)


def _one_of(verdicts: list[_Verdict], path: str) -> _Verdict:
    valid = [verdict for verdict in verdicts if not verdict.findings]
    if len(valid) == 1:
        return valid[0]
    sentence = f'"{path}" must validate one and only one schema (oneOf).'
    if valid:
        return _Verdict([_composite(f"{sentence} Found {len(valid)} valid alternatives")], 0)
    nearest = max(verdicts, key=lambda verdict: verdict.matches)
    return _Verdict([_composite(f"{sentence} Found none valid"), *nearest.findings], nearest.matches)


def _all_of(verdicts: list[_Verdict], path: str) -> _Verdict:
    findings = [finding for verdict in verdicts for finding in verdict.findings]
    valid = sum(not verdict.findings for verdict in verdicts)
    if valid != len(verdicts):
        end = "" if valid else ". None validated"
        findings.append(_composite(f'"{path}" must validate all the schemas (allOf){end}'))
    return _Verdict(findings, sum(verdict.matches for verdict in verdicts))


def _composite(sentence: str) -> FieldError:
    """A finding about alternatives has no field; the path shown is Go's empty one."""
    return FieldError("Invalid value", "<nil>", f'"": {sentence}')


def _old_field(old: Any, key: str, path: str) -> Any:
    if not isinstance(old, dict) or (not path and key in ("apiVersion", "kind")):
        return _ABSENT
    return old.get(key, _ABSENT)


def _old_item(schema: Schema, item: Any, old: Any) -> Any:
    """Items are the same ones only in lists with keys; elsewhere an index says nothing."""
    if not isinstance(old, list) or schema.list_type != "map" or not isinstance(item, dict):
        return _ABSENT
    keys = [item.get(key) for key in schema.list_keys]
    for candidate in old:
        if isinstance(candidate, dict) and [candidate.get(key) for key in schema.list_keys] == keys:
            return candidate
    return _ABSENT


def _is_same_constant(value: Any, allowed: Any) -> bool:
    return bool(value == allowed) and isinstance(value, bool) == isinstance(allowed, bool)


def _same_types(value: Any, old: Any) -> bool:
    """Python takes True for 1; a change from one to the other is a change."""
    if isinstance(value, bool) != isinstance(old, bool):
        return False
    if isinstance(value, dict):
        return all(_same_types(item, old[key]) for key, item in value.items())
    if isinstance(value, list):
        return all(_same_types(item, other) for item, other in zip(value, old, strict=True))
    return True
