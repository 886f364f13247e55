"""Namespace: the drawer in which other objects lie; it empties itself before it goes."""

from collections.abc import Callable, Iterable

from corral.engine.apiserver.field_errors import FieldError, invalid
from corral.engine.apiserver.grammar.names import qualified_name_faults
from corral.engine.apiserver.resources.open_status import OpenStatusStrategy
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.resources.zero_values import fill

FINALIZER = "kubernetes"
NAME_LABEL = "kubernetes.io/metadata.name"
BOOTSTRAP_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
"""The namespaces that exist from the start."""
PROTECTED_NAMESPACES = frozenset({"default", "kube-public", "kube-system"})
"""The namespaces that may not be deleted."""
_STANDARD_FINALIZERS = frozenset({FINALIZER, "orphan", "foregroundDeletion"})


class NamespaceStrategy(OpenStatusStrategy):
    """Namespaces; `spec.finalizers` changes only through the finalize subresource."""

    name_rule = "label"
    begins_deletion = True
    returns_deleted = True

    def default(self, obj: Object) -> None:
        """Sets the phase and the label with the name."""
        fill(obj, {"spec": {}, "status": {"phase": "Active"}})
        _label_with_name(obj)

    def prepare_create(self, obj: Object) -> None:
        """Starts as Active, held by the finalizer that empties it."""
        obj["status"] = {"phase": "Active"}
        finalizers = obj["spec"].get("finalizers") or []
        obj["spec"]["finalizers"] = finalizers if FINALIZER in finalizers else [*finalizers, FINALIZER]
        _label_with_name(obj)

    def prepare_update(self, new: Object, old: Object) -> None:
        """Keeps status and finalizers, which have their own subresources."""
        super().prepare_update(new, old)
        finalizers = old.get("spec", {}).get("finalizers")
        new["spec"].pop("finalizers", None)
        if finalizers:
            new["spec"]["finalizers"] = finalizers

    def change_through(self, subresource: str, new: Object, old: Object) -> list[FieldError] | None:
        """Lets a write to the finalize subresource change only the finalizers (and metadata)."""
        if subresource != "finalize":
            return super().change_through(subresource, new, old)
        if "status" in old:
            new["status"] = old["status"]
        finalizers = (new.get("spec") or {}).get("finalizers") or ()
        return finalizer_errors(finalizers, lambda index: f"spec.finalizers[{index}]")

    def deletion_refusal(self, name: str) -> str:
        """Protects the namespaces without which nothing works."""
        return "this namespace may not be deleted" if name in PROTECTED_NAMESPACES else ""

    def begin_deletion(self, obj: Object, now: str) -> Object:
        """Notes the phase from which nothing new may lie in the namespace."""
        return {**obj, "status": {**(obj.get("status") or {}), "phase": "Terminating"}}

    def is_held(self, obj: Object) -> bool:
        """Says whether its content has still to be deleted."""
        return bool((obj.get("spec") or {}).get("finalizers"))

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks the names of finalizers."""
        return finalizer_errors(obj["spec"].get("finalizers") or (), lambda _: "spec.finalizers")

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Lets the phase say only what the deletion timestamp says."""
        phase = (new.get("status") or {}).get("phase", "")
        is_going = bool(new["metadata"].get("deletionTimestamp"))
        wanted = "Terminating" if is_going else "Active"
        if phase == wanted:
            return []
        detail = f"may only be '{wanted}' if `deletionTimestamp` is {'not ' if is_going else ''}empty"
        return [invalid("status.Phase", phase, detail)]

    def selectable(self, obj: Object) -> dict[str, str]:
        """Offers the phase."""
        return {"status.phase": (obj.get("status") or {}).get("phase", "")}


def namespace(name: str) -> Object:
    """Returns a namespace to be created at the start of the server."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def finalizer_errors(names: Iterable[str], path_of: Callable[[int], str]) -> list[FieldError]:
    """Returns what is wrong with finalizer names: they are qualified, or of the few standard ones."""
    errors: list[FieldError] = []
    for index, name in enumerate(names):
        errors += [invalid(path_of(index), name, fault) for fault in qualified_name_faults(name)]
        if "/" not in name and name not in _STANDARD_FINALIZERS:
            detail = "name is neither a standard finalizer name nor is it fully qualified"
            errors.append(invalid(path_of(index), name, detail))
    return errors


def _label_with_name(obj: Object) -> None:
    name = obj["metadata"].get("name")
    if name:
        labels = obj["metadata"].get("labels") or {}
        obj["metadata"]["labels"] = {**labels, NAME_LABEL: name}
