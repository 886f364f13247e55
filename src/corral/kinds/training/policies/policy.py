"""One ValidatingAdmissionPolicy and its binding for every kind, and one more for a word of warning."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from corral.kinds.objects import Object
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.facts import GROUP, KindFacts
from corral.kinds.training.policies.wording import MESSAGE_EXPRESSION, UNTOLD, WARNING_SUFFIX, policy_name
from corral.kinds.training.validation.checks import cel_of
from corral.kinds.training.validation.job_rules import SCOPE_IS_KEPT
from corral.kinds.training.validation.judgement import DEPRECATIONS
from corral.kinds.training.validation.rules import Section, sections_of
from corral.kinds.training.validation.terms import Not, names_within

_API = "admissionregistration.k8s.io/v1"
_LABELS = {"app.kubernetes.io/part-of": "corral"}
_SPEC_IS_NEW = f"oldObject == null || object.spec != oldObject.spec || !({SCOPE_IS_KEPT.cel()})"
"""A job that was taken may have its metadata changed, but for the annotation about restarts."""


class Judged(NamedTuple):
    """Which objects a policy looks at."""

    group: str
    plural: str
    singular: str
    is_new: str
    """The CEL expression that tells whether there is anything new to judge."""


def policies() -> list[Object]:
    """Returns everything to apply, kind by kind."""
    return [made for facts in TRAINING_KINDS for made in policies_of(facts)]


def policies_of(facts: KindFacts) -> list[Object]:
    """Returns the policies of one kind, each with its binding."""
    judged = Judged(GROUP, facts.plural, facts.singular, _SPEC_IS_NEW)
    made = refusing_policy(judged, sections_of(facts))
    if facts.kind in DEPRECATIONS:
        warning = policy_name(facts.singular) + WARNING_SUFFIX
        made += [_policy(judged, warning, _warning(facts)), _binding(warning, "Warn")]
    return made


def refusing_policy(judged: Judged, sections: Sequence[Section]) -> list[Object]:
    """Returns the policy that refuses what rules find wrong, and its binding."""
    name = policy_name(judged.singular)
    return [_policy(judged, name, _refusing(sections)), _binding(name, "Deny")]


def _refusing(sections: Sequence[Section]) -> dict[str, Any]:
    leaning = {found.name: found for section in sections for found in names_within(section.rules)}
    variables = [{"name": found.name, "expression": found.term.cel()} for found in leaning.values()]
    variables += [{"name": section.name, "expression": cel_of(section.rules)} for section in sections]
    texts = ", ".join(f"variables.{section.name}" for section in sections)
    variables.append({"name": "errors", "expression": f'[{texts}].filter(line, line != "").join("\\n")'})
    return {
        "failurePolicy": "Fail",
        "variables": variables,
        "validations": [
            {
                "expression": 'variables.errors == ""',
                "reason": "Invalid",
                "message": UNTOLD,
                "messageExpression": MESSAGE_EXPRESSION,
            }
        ],
    }


def _warning(facts: KindFacts) -> dict[str, Any]:
    """Returns the rules of a policy that only warns, and so never stands in the way."""
    validations = [
        {"expression": Not(deprecation.when).cel(), "message": deprecation.text}
        for deprecation in DEPRECATIONS[facts.kind]
    ]
    return {"failurePolicy": "Ignore", "validations": validations}


def _policy(judged: Judged, name: str, rules: dict[str, Any]) -> Object:
    resources = {
        "apiGroups": [judged.group],
        "apiVersions": ["*"],
        "operations": ["CREATE", "UPDATE"],
        "resources": [judged.plural],
    }
    conditions = [
        {"name": "not-being-deleted", "expression": "!has(object.metadata.deletionTimestamp)"},
        {"name": "spec-is-new", "expression": judged.is_new},
    ]
    spec = {"matchConstraints": {"resourceRules": [resources]}, "matchConditions": conditions, **rules}
    return {"apiVersion": _API, "kind": "ValidatingAdmissionPolicy", "metadata": _metadata(name), "spec": spec}


def _binding(name: str, action: str) -> Object:
    spec = {"policyName": name, "validationActions": [action]}
    return {"apiVersion": _API, "kind": "ValidatingAdmissionPolicyBinding", "metadata": _metadata(name), "spec": spec}


def _metadata(name: str) -> dict[str, Any]:
    return {"name": name, "labels": dict(_LABELS)}
