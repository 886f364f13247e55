"""The strategy of the kind CustomResourceDefinition itself."""

from collections.abc import Iterable

from corral.engine.apiserver.custom.definition_validation import definition_findings, status_findings, update_findings
from corral.engine.apiserver.custom.naming import establish, mark_terminating
from corral.engine.apiserver.field_errors import FieldError
from corral.engine.apiserver.resources.resource import Object, Strategy
from corral.engine.apiserver.schema.defaulting import copied


class CustomResourceDefinitionStrategy(Strategy):
    """Defaults and validates definitions, and gives them their names, one definition of a group at a time."""

    generation = True
    allow_unconditional_update = False
    returns_deleted = True
    begins_deletion = True

    def default(self, obj: Object) -> None:
        """Fills in the names that follow from the kind, and conversion without conversion."""
        spec = obj.setdefault("spec", {})
        names = spec.setdefault("names", {})
        kind = names.get("kind", "")
        if not names.get("singular") and kind:
            names["singular"] = kind.lower()
        if not names.get("listKind") and kind:
            names["listKind"] = f"{kind}List"
        spec.setdefault("conversion", {"strategy": "None"})

    def prepare_create(self, obj: Object) -> None:
        """Starts a new status; which versions hold objects is known from the first."""
        obj["status"] = {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": []}
        _note_stored_version(obj)

    def prepare_update(self, new: Object, old: Object) -> None:
        """Notes the version in which objects will rest from now on."""
        new["status"] = {**(old.get("status") or {})}
        _note_stored_version(new)

    def exclusive_scope(self, name: str) -> str:
        """Returns the group, in which names are unique."""
        return name.partition(".")[2]

    def settle(self, obj: Object, others: Iterable[Object], now: str) -> None:
        """Accepts the names that no other definition has."""
        establish(obj, others, now)

    def begin_deletion(self, obj: Object, now: str) -> Object:
        """Returns a definition that waits for its objects to go first."""
        going: Object = copied(obj)
        mark_terminating(going, now)
        return going

    def validate(self, obj: Object) -> list[FieldError]:
        """Returns everything wrong with a definition."""
        return definition_findings(obj)

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Returns every forbidden change; `validate` has looked at the rest."""
        whole = set(map(str, definition_findings(new)))
        return [finding for finding in update_findings(new, old) if str(finding) not in whole]

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Returns what is wrong with the accepted names."""
        return status_findings(new)


def _note_stored_version(crd: Object) -> None:
    stored = list(crd["status"].get("storedVersions") or ())
    for version in crd["spec"].get("versions") or ():
        if version.get("storage") and version.get("name"):
            if version["name"] not in stored:
                stored.append(version["name"])
            break
    crd["status"]["storedVersions"] = stored
