"""A quota that is used up and a rule of the cluster are told apart from a missing right and from a wrong object.

The messages are those of Kubernetes 1.34.
"""

import json

import pytest

from corral.adapters.kubernetes.answers import Answer, refusal_of
from corral.errors import CorralError
from corral.surfaces.cli.speech.exit_codes import exit_status

REFUSALS: dict[str, tuple[int, str, str, str, int]] = {
    "a quota": (
        403,
        "Forbidden",
        'pods "a" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2',
        "quota-exceeded",
        10,
    ),
    "a quota that wants limits": (
        403,
        "Forbidden",
        'pods "a" is forbidden: failed quota: small: must specify limits.cpu for: main',
        "quota-exceeded",
        10,
    ),
    "pod security": (
        403,
        "Forbidden",
        'pods "a" is forbidden: violates PodSecurity "restricted:latest": privileged (container "a" must not set it)',
        "refused-by-policy",
        10,
    ),
    "a limit range": (
        403,
        "Forbidden",
        'pods "a" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
        "refused-by-policy",
        10,
    ),
    "a webhook": (
        400,
        "BadRequest",
        'admission webhook "guard.example.com" denied the request: images come from elsewhere',
        "refused-by-policy",
        10,
    ),
    "a policy of the cluster": (
        422,
        "Invalid",
        "tfjobs.kubeflow.org \"a\" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'all' denied request: no",
        "refused-by-policy",
        10,
    ),
    "a namespace that goes": (
        403,
        "Forbidden",
        'pods "a" is forbidden: unable to create new content in namespace x because it is being terminated',
        "refused-by-policy",
        10,
    ),
    "a policy of ours": (
        422,
        "Invalid",
        "tfjobs.kubeflow.org \"a\" is forbidden: ValidatingAdmissionPolicy 'corral-tfjob' with binding 'corral-tfjob' denied "
        "request: spec.tfReplicaSpecs: Required value",
        "invalid",
        2,
    ),
    "a wrong object": (422, "Invalid", 'Pod "a" is invalid: spec.containers: Required value', "invalid", 2),
    "a missing right": (
        403,
        "Forbidden",
        'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "x"',
        "forbidden",
        4,
    ),
    "a right to give rights": (
        403,
        "Forbidden",
        'roles.rbac.authorization.k8s.io "a" is forbidden: user "jane" (groups=["x"]) is attempting to grant RBAC permissions',
        "forbidden",
        4,
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_each_refusal_is_what_it_is(case: str) -> None:
    code, reason, message, want, status = REFUSALS[case]
    body = {"kind": "Status", "status": "Failure", "reason": reason, "code": code, "message": message}
    refused: CorralError = refusal_of(Answer(code, {}, json.dumps(body).encode()), "create pods a")
    assert (refused.code, exit_status(refused), refused.message) == (want, status, message)
    assert refused.hint or want == "invalid"


def test_a_proxy_that_forbids_is_no_rule_of_the_cluster() -> None:
    refused = refusal_of(Answer(403, {}, b"access is forbidden: go away"), "list pods")
    assert refused.code == "forbidden"
