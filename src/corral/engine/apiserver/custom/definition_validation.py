"""Validates a CustomResourceDefinition, with the findings, paths and words of kube-apiserver."""

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

from corral.engine.apiserver.custom.layout import Layout, laid_out
from corral.engine.apiserver.custom.printed_form import printed_schema, printed_version
from corral.engine.apiserver.custom.schema_defaults import default_findings
from corral.engine.apiserver.custom.schema_rules import rule_findings
from corral.engine.apiserver.custom.schema_structure import structure_findings
from corral.engine.apiserver.custom.version_parts import column_findings, selectable_findings, subresource_findings
from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import label1035_faults, subdomain_faults

APPROVAL: Final = "api-approved.kubernetes.io"
NO_WEBHOOKS: Final = "conversion by webhook is not supported by this release; use None"
_ENHANCEMENT: Final = "see https://github.com/kubernetes/enhancements/pull/1111"
_ROOT_KEYWORDS: Final = (
    "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern "
    "MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields "
    "XValidations"
)
_NAMES: Final = ("plural", "singular", "kind", "listKind")

Spec = dict[str, Any]


def definition_findings(crd: dict[str, Any]) -> list[FieldError]:
    """Returns everything that is wrong with a definition, its general metadata aside."""
    spec = crd.get("spec") or {}
    return [
        *_name_findings(crd["metadata"], spec),
        *_spec_findings(spec),
        *_stored_findings(crd),
        *_approval_findings(crd),
        *_preserve_findings(spec),
    ]


def update_findings(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """Returns everything that is wrong with a changed definition, forbidden changes included."""
    spec, before = new["spec"], old["spec"]
    findings = list(_spec_findings(spec))
    fixed = [("group", spec, before), ("names.plural", _names(spec), _names(before))]
    if _is_established(old):
        fixed = [("scope", spec, before), ("names.kind", _names(spec), _names(before)), *fixed]
    for path, now, then in fixed:
        key = path.rpartition(".")[2]
        if now.get(key) != then.get(key):
            findings.append(invalid(f"spec.{path}", now.get(key), "field is immutable"))
    findings.extend(_stored_findings(new))
    if new["metadata"].get("annotations", {}).get(APPROVAL) != old["metadata"].get("annotations", {}).get(APPROVAL):
        findings.extend(_approval_findings(new))
    return [*findings, *_preserve_findings(spec)]


def _name_findings(metadata: dict[str, Any], spec: Spec) -> Iterator[FieldError]:
    """The name follows from group and plural; those that follow cannot change, so only a new object is looked at."""
    name, wanted = metadata.get("name", ""), f"{_names(spec).get('plural', '')}.{spec.get('group', '')}"
    if name and name != wanted and not metadata.get("resourceVersion"):
        detail = 'must be spec.names.plural+"."+spec.group'
        prefix = metadata.get("generateName")
        yield from [invalid("metadata.generateName", prefix, detail)] if prefix else ()
        yield invalid("metadata.name", name, detail)


def _names(spec: Spec) -> dict[str, Any]:
    return spec.get("names") or {}


def _is_established(crd: dict[str, Any]) -> bool:
    conditions = (crd.get("status") or {}).get("conditions") or ()
    return any(c.get("type") == "Established" and c.get("status") == "True" for c in conditions)


def _spec_findings(spec: Spec) -> Iterator[FieldError]:
    layout = laid_out(spec)
    yield from _group_findings(spec.get("group", ""))
    yield from _choice("spec.scope", spec.get("scope", ""), ("Cluster", "Namespaced"))
    if (layout.shared.get("schema") or {}).get("openAPIV3Schema") is None:
        for index, version in enumerate(layout.versions):
            if (version.get("schema") or {}).get("openAPIV3Schema") is None:
                yield required(f"spec.versions[{index}].schema.openAPIV3Schema")
    if spec.get("preserveUnknownFields") and _has_defaults([version.get("schema") for version in layout.versions]):
        yield invalid("spec.preserveUnknownFields", True, "must be false in order to use defaults in the schema")
    for index, version in enumerate(layout.versions):
        yield from _version_findings(version, layout, f"spec.versions[{index}]")
    yield from _versions_findings(layout, spec.get("versions"))
    yield from _naming_findings(_names(spec), "spec.names", is_spec=True)
    yield from _shared_findings(layout)
    yield from _conversion_findings(spec.get("conversion") or {})


def _has_defaults(schema: Any) -> bool:
    if isinstance(schema, dict):
        return schema.get("default") is not None or any(_has_defaults(value) for value in schema.values())
    return isinstance(schema, list) and any(_has_defaults(item) for item in schema)


def _group_findings(group: str) -> Iterator[FieldError]:
    if not group:
        yield required("spec.group")
    elif faults := subdomain_faults(group):
        yield invalid("spec.group", group, ",".join(faults))
    elif "." not in group:
        yield invalid("spec.group", group, "should be a domain with at least one dot")


def _choice(path: str, value: str, allowed: tuple[str, ...]) -> Iterator[FieldError]:
    if not value:
        yield required(path)
    elif value not in allowed:
        yield not_supported(path, value, allowed)


def _version_findings(version: Spec, layout: Layout, path: str) -> Iterator[FieldError]:
    name = version.get("name", "")
    if faults := label1035_faults(name):
        yield invalid(f"{path}.name", name, ",".join(faults))
    warning = version.get("deprecationWarning")
    for text in _warning_faults(warning, bool(version.get("deprecated"))):
        yield invalid(f"{path}.deprecationWarning", warning, text)
    subresources = version.get("subresources") or layout.shared.get("subresources") or {}
    yield from _schema_findings(version.get("schema"), f"{path}.schema", "status" in subresources)
    yield from subresource_findings(version.get("subresources"), f"{path}.subresources")
    yield from column_findings(version.get("additionalPrinterColumns"), f"{path}.additionalPrinterColumns")
    schema = (version.get("schema") or layout.shared.get("schema") or {}).get("openAPIV3Schema")
    yield from selectable_findings(version.get("selectableFields"), schema, f"{path}.selectableFields")


def _warning_faults(warning: str | None, deprecated: bool) -> Iterator[str]:
    if warning is None:
        return
    if not deprecated:
        yield "can only be set for deprecated versions"
        return
    if len(warning) > 256:
        yield "must be <= 256 characters long"
    if not warning:
        yield "must not be an empty string"
    bad = next((index for index, char in enumerate(warning) if not char.isprintable()), None)
    if bad is not None:
        yield f"must only contain printable UTF-8 characters; non-printable character found at index {bad}"


def _versions_findings(layout: Layout, given: Any) -> Iterator[FieldError]:
    names = [version.get("name", "") for version in layout.versions]
    if len(set(names)) != len(names):
        yield invalid("spec.versions", given and _printed(layout), "must contain unique version names")
    if sum(bool(version.get("storage")) for version in layout.versions) != 1:
        yield invalid(
            "spec.versions", given and _printed(layout), "must have exactly one version marked as storage version"
        )
    if names and (faults := label1035_faults(names[0])):
        yield invalid("spec.version", names[0], ",".join(faults))


def _printed(layout: Layout) -> list[dict[str, Any]]:
    return [printed_version(version) for version in layout.versions]


def _naming_findings(names: dict[str, Any], path: str, is_spec: bool) -> Iterator[FieldError]:
    if is_spec:
        yield from (required(f"{path}.{key}") for key in _NAMES if not names.get(key))
    for key in _NAMES:
        value = names.get(key, "")
        mixed = key in ("kind", "listKind")
        faults = label1035_faults(value.lower() if mixed else value) if value else ()
        if faults:
            text = "may have mixed case, but should otherwise match: " if mixed else ""
            yield invalid(f"{path}.{key}", value, text + ",".join(faults))
    yield from _label_findings(names.get("shortNames"), f"{path}.shortNames")
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        yield invalid(f"{path}.listKind", names["listKind"], "kind and listKind may not be the same")
    yield from _label_findings(names.get("categories"), f"{path}.categories")


def _label_findings(labels: list[str] | None, path: str) -> Iterator[FieldError]:
    for index, label in enumerate(labels or ()):
        if faults := label1035_faults(label):
            yield invalid(f"{path}[{index}]", label, ",".join(faults))


def _shared_findings(layout: Layout) -> Iterator[FieldError]:
    shared = layout.shared
    everywhere = [shared.get("subresources") or {}, *(version.get("subresources") or {} for version in layout.versions)]
    has_status = any("status" in subresources for subresources in everywhere)
    yield from _schema_findings(shared.get("schema"), "spec.validation", has_status)
    yield from subresource_findings(shared.get("subresources"), "spec.subresources")
    yield from column_findings(shared.get("additionalPrinterColumns"), "spec.additionalPrinterColumns")
    if shared.get("selectableFields"):
        schema = (shared.get("schema") or {}).get("openAPIV3Schema")
        if schema is None:
            yield invalid("spec.selectableFields", "", "may only be set when validations.schema is included")
        else:
            yield from selectable_findings(shared["selectableFields"], schema, "spec.selectableFields")


def _schema_findings(validation: Spec | None, path: str, has_status: bool) -> Iterator[FieldError]:
    schema = (validation or {}).get("openAPIV3Schema")
    if schema is None:
        return
    path = f"{path}.openAPIV3Schema"
    if has_status:
        yield from _root_findings(schema, path)
    if schema.get("nullable"):
        yield forbidden(f"{path}.nullable", "nullable cannot be true at the root")
    structure = structure_findings(schema, path)
    yield from structure or default_findings(schema, path)
    yield from rule_findings(schema, path)


def _root_findings(schema: Spec, path: str) -> Iterator[FieldError]:
    """With a status subresource the part below `status` is validated alone, so the root may not add rules."""
    allowed = {word[:1].lower() + word[1:] for word in _ROOT_KEYWORDS.split()}
    allowed |= {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations"}
    kind = schema.get("type", "")
    if kind and kind != "object":
        text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
        yield invalid(f"{path}.type", kind, text)
    elif any(value for key, value in schema.items() if key not in allowed):
        text = (
            f"only [{_ROOT_KEYWORDS}] fields are allowed at the root of the schema if the status subresource is enabled"
        )
        yield invalid(path, printed_schema(schema), text)


def _conversion_findings(conversion: Spec) -> Iterator[FieldError]:
    strategy = conversion.get("strategy", "")
    if strategy == "Webhook":
        yield forbidden("spec.conversion.strategy", NO_WEBHOOKS)
        return
    yield from _choice("spec.conversion.strategy", strategy, ("None", "Webhook"))
    webhook = conversion.get("webhook") or {}
    text = "should not be set when strategy is not set to Webhook"
    if webhook.get("clientConfig"):
        yield forbidden("spec.conversion.webhookClientConfig", text)
    if webhook.get("conversionReviewVersions"):
        yield forbidden("spec.conversion.conversionReviewVersions", text)


def status_findings(crd: dict[str, Any]) -> list[FieldError]:
    """Returns what is wrong with the accepted names in a definition's status."""
    names = (crd.get("status") or {}).get("acceptedNames") or {}
    return list(_naming_findings(names, "status.acceptedNames", is_spec=False))


def _stored_findings(crd: dict[str, Any]) -> Iterator[FieldError]:
    stored = (crd.get("status") or {}).get("storedVersions") or []
    path = "status.storedVersions"
    if not stored:
        yield invalid(path, None, "must have at least one stored version")
        return
    versions = {version.get("name"): version for version in crd["spec"].get("versions") or ()}
    for name, version in versions.items():
        if version.get("storage") and name not in stored:
            yield invalid(path, stored, f"must have the storage version {name}")
    for index, name in enumerate(stored):
        if name not in versions:
            text = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions "
                f"until a storage migration ensures no data remains persisted in {name} and removes {name} from "
                "status.storedVersions"
            )
            yield invalid(f"{path}[{index}]", name, text)


def _approval_findings(crd: dict[str, Any]) -> Iterator[FieldError]:
    """Groups of the Kubernetes community need a link to the review of their API."""
    group = crd["spec"].get("group", "")
    if not f".{group}".endswith((".k8s.io", ".kubernetes.io")):
        return
    approval = (crd["metadata"].get("annotations") or {}).get(APPROVAL, "")
    path = f"metadata.annotations[{APPROVAL}]"
    if not approval:
        yield required(path, f'protected groups must have approval annotation "{APPROVAL}", {_ENHANCEMENT}')
    elif not approval.startswith("unapproved"):
        url = urlsplit(approval)
        if not (url.scheme and url.netloc):
            rule = 'with either a URL or a reason starting with "unapproved"'
            text = f'protected groups must have approval annotation "{APPROVAL}" {rule}, {_ENHANCEMENT}'
            yield invalid(path, approval, text)


def _preserve_findings(spec: Spec) -> Iterator[FieldError]:
    if spec.get("preserveUnknownFields"):
        text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        yield invalid("spec.preserveUnknownFields", True, text)
