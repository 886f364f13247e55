"""From the text of files to objects in the order in which they can be applied; every fault is kept with its place."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from corral.control.desk.naming.kinds import TRAINING_GROUP
from corral.errors import CorralError, PermanentError
from corral.kinds.documents import Document, DocumentError, each_object, load_documents
from corral.kinds.names import is_path_segment
from corral.kinds.objects import Object
from corral.kinds.references import split_api_version
from corral.kinds.settings import Setting, with_settings


class Text(NamedTuple):
    """The content of one file and how messages call it."""

    source: str
    content: bytes


class Manifest(NamedTuple):
    """One object that a text asks for, and where it stands."""

    object: Object
    source: str
    line: int

    @property
    def place(self) -> str:
        """Returns the file and the line."""
        return f"{self.source}, line {self.line}" if self.line else self.source


class Reading(NamedTuple):
    """What texts ask for, and everything that is wrong with them."""

    manifests: list[Manifest]
    problems: list[CorralError]


def read_manifests(texts: Iterable[Text]) -> Reading:
    """Reads all texts; a fault in one does not hide those of the others."""
    reading = Reading([], [])
    for text in texts:
        try:
            documents = load_documents(text.content, source=text.source)
        except DocumentError as error:
            reading.problems.append(error)
            continue
        for document in documents:
            try:
                found = [Manifest(obj, text.source, line) for obj, line in each_object([document], source=text.source)]
                for one in found:
                    _refuse_misnamed(one)
                reading.manifests.extend(found)
            except DocumentError as error:
                reading.problems.append(error)
    return reading


def with_values(manifests: Sequence[Manifest], settings: Sequence[Setting]) -> Reading:
    """Returns all manifests with the settings that are meant for them; one that is meant for none of them is a fault."""
    reading = Reading([], [])
    for setting in settings:
        if not any(setting.is_for(one.object) for one in manifests):
            problem = f"{setting} is for a {setting.kind}, and there is none"
            reading.problems.append(PermanentError("bad-setting", problem))
    for one in manifests:
        try:
            changed = one._replace(object=with_settings(one.object, settings))
            next(each_object([Document(changed.object, one.line)], source=one.source))
            _refuse_misnamed(changed)
            reading.manifests.append(changed)
        except PermanentError as error:
            place = "" if isinstance(error, DocumentError) else f"{one.place}: "
            reading.problems.append(PermanentError(error.code, f"{place}{error.message}"))
    return reading


def _refuse_misnamed(manifest: Manifest) -> None:
    metadata = manifest.object.get("metadata")
    kind, place = manifest.object["kind"], {"source": manifest.source, "line": manifest.line}
    if not isinstance(metadata, dict):
        raise DocumentError(f"metadata of the {kind} is missing or not a mapping", **place)  # type: ignore[arg-type]
    if not isinstance(metadata.get("name"), str) or not metadata["name"]:
        why = "a generateName cannot be applied, give it a name" if metadata.get("generateName") else "it must be text"
        raise DocumentError(f"metadata.name of the {kind} is missing: {why}", **place)  # type: ignore[arg-type]
    for field in ("name", "namespace"):
        word = metadata.get(field)
        # No API takes it, but it would hear of it only after the objects before it were made.
        if isinstance(word, str) and word and not is_path_segment(word):
            raise DocumentError(f"metadata.{field} of the {kind} cannot be {word!r}", **place)  # type: ignore[arg-type]


_FIRST = (
    "CustomResourceDefinition",
    "Namespace",
    "PriorityClass",
    "ResourceQuota",
    "LimitRange",
    "ServiceAccount",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "Secret",
    "ConfigMap",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Service",
)


def in_order(manifests: Sequence[Manifest]) -> list[Manifest]:
    """Returns what others need first: definitions, namespaces, configuration, services, and at last what runs."""
    return sorted(manifests, key=_turn)


def _turn(manifest: Manifest) -> int:
    kind = manifest.object["kind"]
    if kind in _FIRST:
        return _FIRST.index(kind)
    is_training = split_api_version(manifest.object["apiVersion"])[0] == TRAINING_GROUP
    return len(_FIRST) + is_training
