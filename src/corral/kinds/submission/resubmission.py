"""The same job once more: a clean copy of what is stored, under the same name or another one. Pure.

What a server or an operator has written is left out. What belongs to a job carries its name: names are changed where we put
them, and nowhere else, so that a text that merely looks like one stays as it is.
"""

from typing import Any, Final, NamedTuple

from corral.kinds.objects import Object, copied
from corral.kinds.scheduling.names import MOVED, MOVES_FOR
from corral.kinds.submission.catalogue import WORDS
from corral.kinds.submission.scheduling import GANG_NAME, gang_name
from corral.kinds.submission.tensorboard import ADDRESS, PORT, board_name
from corral.kinds.submission.volumes import code_name, files_name, logs_path
from corral.kinds.training.label_names import JOB_NAME, TENSORBOARD

_WRITTEN_BY_OTHERS: Final = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "deployment.kubernetes.io/revision",
    "corral.dev/submission",
    "corral.dev/loopback-ports",
    MOVES_FOR,
    MOVED,
)
_PORT_FIELDS: Final = ("name", "port", "targetPort", "protocol")


class Companion(NamedTuple):
    """Something that may belong to a job, by its kind and name."""

    kind: str
    name: str


def companions_of(name: str) -> tuple[Companion, ...]:
    """Returns everything that may belong to a job: its files, the code that was sent with it, its TensorBoard."""
    return (
        Companion("ConfigMap", files_name(name)),
        Companion("ConfigMap", code_name(name)),
        Companion("Service", board_name(name)),
        Companion("Deployment", board_name(name)),
    )


def mounted_config_maps(value: Any) -> set[str]:
    """Returns the names of the ConfigMaps that are volumes anywhere in a job."""
    if isinstance(value, list):
        return {name for one in value for name in mounted_config_maps(one)}
    if not isinstance(value, dict):
        return set()
    volume = value.get("configMap")
    own = {str(volume.get("name", ""))} if isinstance(volume, dict) else set()
    return own | {name for one in value.values() for name in mounted_config_maps(one)}


def copy_of(obj: Object, old: str, new: str) -> Object:
    """Returns a job, or what belongs to it, as it is to be made again for the job of another name."""
    metadata = obj["metadata"]
    namespace = metadata.get("namespace", "")
    annotations = metadata.get("annotations") or {}
    kept = {
        "name": new + metadata["name"].removeprefix(old),
        "namespace": namespace,
        "labels": dict(metadata.get("labels") or {}),
        "annotations": {key: value for key, value in annotations.items() if key not in _WRITTEN_BY_OTHERS},
    }
    content = {field: value for field, value in obj.items() if field not in ("metadata", "status")}
    if obj["kind"] == "Service":
        content["spec"] = _service_spec(obj["spec"])
    if MOVES_FOR in annotations:
        _go_on(content)
    whole = {**content, "metadata": {field: value for field, value in kept.items() if value}}
    renamed: Object = _Renaming(namespace, old, new).carried_out(copied(whole))
    return renamed


def _go_on(content: Object) -> None:
    """Lets the copy of a job start that a scheduler has suspended for a moment: nobody would resume it."""
    spec = content.get("spec") or {}
    policy = {name: value for name, value in (spec.get("runPolicy") or {}).items() if name != "suspend"}
    content["spec"] = {**spec, "runPolicy": policy}


def _service_spec(spec: Object) -> Object:
    """Returns what was asked for: addresses and ports of nodes are given anew."""
    ports = [{field: port[field] for field in _PORT_FIELDS if field in port} for port in spec.get("ports") or ()]
    return {"selector": spec.get("selector") or {}, "ports": ports}


class _Renaming:
    """Where the name of a job stands in its objects, and what it becomes."""

    def __init__(self, namespace: str, old: str, new: str) -> None:
        self._maps = {
            files_name(old): files_name(new),
            code_name(old): code_name(new),
            f"{old}-config": f"{new}-config",
        }
        self._paths = {logs_path(namespace, old): logs_path(namespace, new)}
        self._labels = {
            JOB_NAME: {old: new},
            TENSORBOARD: {old: new},
            GANG_NAME: {gang_name(word, old): gang_name(word, new) for word in WORDS},
        }
        self._variables = {
            ADDRESS: {f"{board_name(old)}:{PORT}": f"{board_name(new)}:{PORT}"},
            "MASTER_ADDR": {f"{old}-master-0": f"{new}-master-0"},
        }

    def carried_out(self, value: Any) -> Any:
        """Returns a value in which the name has been changed."""
        if isinstance(value, list):
            return [self.carried_out(one) for one in value]
        if not isinstance(value, dict):
            return value
        variable = self._variables.get(value.get("name", "")) if "value" in value else None
        if variable is not None:
            return {**value, "value": variable.get(value["value"], value["value"])}
        return {key: self._below(key, one) for key, one in value.items()}

    def _below(self, key: str, value: Any) -> Any:
        if key in self._labels:
            return self._labels[key].get(value, value)
        if key == "configMap" and isinstance(value, dict):
            return {**value, "name": self._maps.get(value.get("name", ""), value.get("name"))}
        if key == "hostPath" and isinstance(value, dict):
            return {**value, "path": self._paths.get(value.get("path", ""), value.get("path"))}
        return self.carried_out(value)
