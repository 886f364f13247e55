"""ServiceAccount, roles and bindings: who may do what. Stored and checked for form; nothing here is enforced."""

from collections.abc import Iterator
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import path_faults, subdomain_faults
from corral.engine.apiserver.resources.metadata_validation import selector_errors
from corral.engine.apiserver.resources.resource import Object, Strategy
from corral.engine.apiserver.resources.zero_values import fill

RBAC_GROUP = "rbac.authorization.k8s.io"
_SUBJECT_GROUPS = {"ServiceAccount": "", "User": RBAC_GROUP, "Group": RBAC_GROUP}


class ServiceAccountStrategy(Strategy):
    """Service accounts; of the secrets only the names count."""

    returns_deleted = True

    def prepare_create(self, obj: Object) -> None:
        """Keeps of each secret only its name."""
        secrets = obj.get("secrets")
        if secrets:
            obj["secrets"] = [{"name": secret["name"]} if secret.get("name") else {} for secret in secrets]

    def prepare_update(self, new: Object, old: Object) -> None:
        """Keeps of each secret only its name."""
        self.prepare_create(new)


class RoleStrategy(Strategy):
    """Roles and cluster roles."""

    name_rule = "path"
    allow_create_on_update = True

    def __init__(self, *, namespaced: bool) -> None:
        self._namespaced = namespaced

    def default(self, obj: Object) -> None:
        """Shows rules and verbs even when there are none."""
        obj["rules"] = obj.get("rules") or None
        for rule in obj["rules"] or ():
            fill(rule, {"verbs": []})

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks the rules, and the selectors of an aggregated cluster role."""
        rules = obj.get("rules") or ()
        errors = [error for i, rule in enumerate(rules) for error in self._rule_errors(f"rules[{i}]", rule)]
        aggregation = obj.get("aggregationRule")
        if aggregation is not None and not self._namespaced:
            errors += _aggregation_errors("aggregationRule.clusterRoleSelectors", aggregation)
        return errors

    def _rule_errors(self, path: str, rule: dict[str, Any]) -> Iterator[FieldError]:
        urls = rule.get("nonResourceURLs")
        if not rule.get("verbs"):
            yield required(f"{path}.verbs", "verbs must contain at least one value")
        if urls:
            if self._namespaced:
                yield invalid(f"{path}.nonResourceURLs", urls, "namespaced rules cannot apply to non-resource URLs")
            if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
                detail = "rules cannot apply to both regular resources and non-resource URLs"
                yield invalid(f"{path}.nonResourceURLs", urls, detail)
            return
        if not rule.get("apiGroups"):
            yield required(f"{path}.apiGroups", "resource rules must supply at least one api group")
        if not rule.get("resources"):
            yield required(f"{path}.resources", "resource rules must supply at least one resource")


class BindingStrategy(Strategy):
    """Role bindings and cluster role bindings; what is bound is for life."""

    name_rule = "path"
    allow_create_on_update = True

    def __init__(self, *, namespaced: bool) -> None:
        self._namespaced = namespaced
        self._role_kinds = ("Role", "ClusterRole") if namespaced else ("ClusterRole",)

    def default(self, obj: Object) -> None:
        """Fills the API groups of the role and of the subjects."""
        fill(obj, {"roleRef": {"kind": "", "name": ""}})
        obj["roleRef"]["apiGroup"] = obj["roleRef"].get("apiGroup") or RBAC_GROUP
        for subject in obj.get("subjects") or ():
            group = subject.get("apiGroup") or _SUBJECT_GROUPS.get(subject.get("kind", ""), "")
            subject.pop("apiGroup", None)
            if group:
                subject["apiGroup"] = group

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks the role and every subject."""
        return [*self._role_errors(obj["roleRef"]), *self._subjects_errors(obj)]

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses another role."""
        role = new["roleRef"]
        if role == old.get("roleRef"):
            return []
        shown = {"APIGroup": role["apiGroup"], "Kind": role["kind"], "Name": role["name"]}
        return [invalid("roleRef", shown, "cannot change roleRef")]

    def _role_errors(self, role: dict[str, Any]) -> Iterator[FieldError]:
        if role["apiGroup"] != RBAC_GROUP:
            yield not_supported("roleRef.apiGroup", role["apiGroup"], (RBAC_GROUP,))
        if role["kind"] not in self._role_kinds:
            yield not_supported("roleRef.kind", role["kind"], self._role_kinds)
        if not role["name"]:
            yield required("roleRef.name")
        yield from (invalid("roleRef.name", role["name"], fault) for fault in path_faults(role["name"]))

    def _subjects_errors(self, obj: Object) -> Iterator[FieldError]:
        for index, subject in enumerate(obj.get("subjects") or ()):
            path, name, kind = f"subjects[{index}]", subject.get("name", ""), subject.get("kind", "")
            group = subject.get("apiGroup", "")
            if not name:
                yield required(f"{path}.name")
            if kind not in _SUBJECT_GROUPS:
                yield not_supported(f"{path}.kind", kind, tuple(_SUBJECT_GROUPS))
                continue
            if kind == "ServiceAccount" and name:
                yield from (invalid(f"{path}.name", name, fault) for fault in subdomain_faults(name))
            if group != _SUBJECT_GROUPS[kind]:
                yield not_supported(f"{path}.apiGroup", group, (_SUBJECT_GROUPS[kind],))
            if kind == "ServiceAccount" and not self._namespaced and not subject.get("namespace"):
                yield required(f"{path}.namespace")


def _aggregation_errors(path: str, rule: dict[str, Any]) -> list[FieldError]:
    selectors = rule.get("clusterRoleSelectors") or []
    if not selectors:
        detail = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        return [required(path, detail)]
    errors: list[FieldError] = []
    for index, selector in enumerate(selectors):
        found = selector_errors(selector, f"{path}[{index}]")
        errors += [*found, invalid(f"{path}[{index}]", None, "invalid label selector.")] if found else []
    return errors
