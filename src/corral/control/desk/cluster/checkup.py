"""What a user needs from an API, looked at: that it answers, serves the training kinds, allows what jobs need, and has an operator.

Each check is a function from a session to one finding; what goes wrong on the way is a finding as well.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from corral.control.desk.naming.kinds import TRAINING_KINDS, is_training
from corral.control.desk.session import Session
from corral.errors import CorralError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import LEASE, NAMESPACE, NODE
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError, NotFoundError
from corral.reconcile.moments import seconds_of

REVIEW: Final = ApiResource(
    "authorization.k8s.io", "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", namespaced=False
)
OPERATORS: Final = {
    "corral-operator": "corral operator",
    "1ca428e5.training-operator.kubeflow.org": "Kubeflow's training operator",
}
"""Leases by which operators are known to be alive."""
OPERATOR_NAMESPACES: Final = ("kube-system", "corral-system", "kubeflow")
"""Where they are looked for by who may not look everywhere."""


class Checked(NamedTuple):
    """What a check found: `ok`, `warn` or `fail`, about what, in one sentence, and how to mend it."""

    level: str
    subject: str
    text: str
    hint: str = ""


class Right(NamedTuple):
    """Something that jobs need to be allowed."""

    words: str
    verb: str
    group: str
    plural: str
    subresource: str = ""


RIGHTS: Final = (
    Right("list jobs", "list", "kubeflow.org", "pytorchjobs"),
    Right("submit jobs", "create", "kubeflow.org", "pytorchjobs"),
    Right("delete jobs", "delete", "kubeflow.org", "pytorchjobs"),
    Right("see pods", "list", "", "pods"),
    Right("read logs", "get", "", "pods", "log"),
    Right("run commands in pods", "create", "", "pods", "exec"),
    Right("see events", "list", "", "events"),
)


def check_api(session: Session, now: float) -> list[Checked]:
    """Looks at an API as far as it answers: when it does not at all, there is nothing else to look at."""
    first = _checked("api", lambda: _check_answer(session))
    if first.level == "fail":
        return [first]
    checks: Sequence[tuple[str, Callable[[], Checked]]] = (
        ("namespace", lambda: _check_namespace(session)),
        ("kinds", lambda: _check_kinds(session)),
        ("rights", lambda: _check_rights(session)),
        ("nodes", lambda: _check_nodes(session)),
        *(() if session.is_embedded else (("operator", lambda: _check_operator(session, now)),)),
    )
    return [first, *(_checked(subject, check) for subject, check in checks)]


def _checked(subject: str, check: Callable[[], Checked]) -> Checked:
    try:
        return check()
    except ForbiddenError:
        return Checked("ok", subject, "cannot be seen with your rights; most commands do without")
    except CorralError as error:
        return Checked("fail", subject, error.message, error.hint)


def _check_answer(session: Session) -> Checked:
    return Checked("ok", "api", f"{session.target} answers, version {session.store.version()}")


def _check_namespace(session: Session) -> Checked:
    try:
        found = session.store.get(NAMESPACE, ObjectKey("", session.namespace))
    except NotFoundError:
        hint = "choose another one, for good by `corral use -n NAME`"
        return Checked("fail", "namespace", f"there is no namespace {session.namespace}", hint)
    if found["metadata"].get("deletionTimestamp"):
        return Checked("fail", "namespace", f"{session.namespace} is being deleted", "choose another one")
    return Checked("ok", "namespace", session.namespace)


def _check_kinds(session: Session) -> Checked:
    catalogue = session.store.catalogue().served
    served = {entry.resource.kind for entry in catalogue if is_training(entry.resource)}
    missing = [kind for kind in TRAINING_KINDS if kind not in served]
    hint = "`corral install` puts their definitions on a cluster"
    if not served:
        return Checked("fail", "kinds", "no training kinds are served", hint)
    if missing:
        return Checked("warn", "kinds", f"not served: {', '.join(missing)}", hint)
    return Checked("ok", "kinds", f"{', '.join(TRAINING_KINDS)} are served")


def _check_rights(session: Session) -> Checked:
    try:
        refused = [right for right in RIGHTS if not _is_allowed(session, right)]
    except NotFoundError:
        return Checked("ok", "rights", "whoever reaches this API may do everything")
    if not refused:
        return Checked("ok", "rights", f"you may do everything that jobs need in namespace {session.namespace}")
    text = f"in namespace {session.namespace} you may not {', '.join(right.words for right in refused)}"
    hint = "ask an administrator for these rights; what is missing is left out of answers, with a note"
    return Checked("fail" if RIGHTS[0] in refused else "warn", "rights", text, hint)


def _is_allowed(session: Session, right: Right) -> bool:
    attributes = {
        "namespace": session.namespace,
        "verb": right.verb,
        "group": right.group,
        "resource": right.plural,
        "subresource": right.subresource,
    }
    review: Object = {
        "apiVersion": REVIEW.api_version,
        "kind": REVIEW.kind,
        "metadata": {},
        "spec": {"resourceAttributes": attributes},
    }
    status: dict[str, Any] = session.store.create(REVIEW, review).get("status") or {}
    return bool(status.get("allowed"))


def _check_nodes(session: Session) -> Checked:
    nodes = session.store.list(NODE)
    ready = [node for node in nodes if _is_ready(node)]
    text = f"{len(ready)} of {len(nodes)} are ready"
    if ready:
        return Checked("ok", "nodes", text)
    hint = "`corral up` makes this machine a node" if session.is_embedded else "pods wait until one is"
    return Checked("warn", "nodes", text if nodes else "there is none: pods stay Pending", hint)


def _is_ready(node: Object) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or []
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)


def _check_operator(session: Session, now: float) -> Checked:
    leases = [lease for name in OPERATORS for lease in _leases(session, name)]
    alive = [lease for lease in leases if _age(lease, now) < 2 * _length(lease)]
    if alive:
        holder = OPERATORS[alive[0]["metadata"]["name"]]
        return Checked("ok", "operator", f"{holder} was heard {max(0, _age(alive[0], now)):.0f} s ago")
    hint = "`corral operator` runs one, from a pod or anywhere with a kubeconfig"
    if leases:
        text = f"{OPERATORS[leases[0]['metadata']['name']]} was last heard {_age(leases[0], now):.0f} s ago"
        return Checked("fail", "operator", f"{text}: jobs stay as they are", hint)
    return Checked("warn", "operator", "none was seen: without one jobs stay as they are", hint)


def _leases(session: Session, name: str) -> list[Object]:
    try:
        return session.store.list(LEASE, Scope(fields=f"metadata.name={name}"))
    except ForbiddenError:
        return [lease for namespace in OPERATOR_NAMESPACES for lease in _lease_in(session, namespace, name)]


def _lease_in(session: Session, namespace: str, name: str) -> list[Object]:
    try:
        return [session.store.get(LEASE, ObjectKey(namespace, name))]
    except (ForbiddenError, NotFoundError):
        return []


def _age(lease: Object, now: float) -> float:
    renewed = seconds_of((lease.get("spec") or {}).get("renewTime"))
    return now - renewed if renewed is not None else float("inf")


def _length(lease: Object) -> float:
    return float((lease.get("spec") or {}).get("leaseDurationSeconds") or 15)
