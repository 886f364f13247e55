"""Where each volume of a pod is on this machine. Pure: nothing here looks at the disk."""

import os.path
from typing import NamedTuple

from corral.engine.node.fetched import Fetched, not_found
from corral.engine.node.folder import NodeFolder
from corral.engine.node.volumes.faults import VolumeFaultError, failed_mount
from corral.engine.node.volumes.references import mounted_volumes
from corral.kinds.objects import Object, is_deleting
from corral.kinds.quantities import QuantityError, quantity_text, resource_quantity

MADE_OF_OBJECTS = ("configMap", "secret", "projected", "downwardAPI")
EXISTING = "Existing"
"""A path that must be there, whatever it is; not a type of Kubernetes, but what a `local` volume promises."""

_NANO = 10**9
_HOST = "mount it on this machine yourself and use a hostPath volume, or use a persistentVolumeClaim"
_INSTEAD = {
    "gitRepo": "clone in an init container into an emptyDir",
    "image": "copy its files into a folder and use a hostPath volume",
    "awsElasticBlockStore": "use a persistentVolumeClaim",
    "azureDisk": "use a persistentVolumeClaim",
    "gcePersistentDisk": "use a persistentVolumeClaim",
    "cinder": "use a persistentVolumeClaim",
}


class Volume(NamedTuple):
    """One volume: where it is, and what must be done so that it is there."""

    name: str
    kind: str
    """The field of the volume in the pod, such as `emptyDir`."""
    path: str
    source: Object
    """The value of that field."""
    copies: str = ""
    """Where copies of parts of it are kept for containers that see only a part, for volumes made of objects."""
    is_read_only: bool = False
    host_type: str = ""
    """What must be at the path, for paths of this machine: the types of a hostPath."""
    size_limit: int | None = None
    """Bytes that an emptyDir may have; noted, and not enforced by the file system."""


def plan_volumes(pod: Object, fetched: Fetched, folder: NodeFolder) -> dict[str, Volume]:
    """Returns the volumes that containers of the pod see, by name; raises StartRefusedError with all that cannot be."""
    planned, faults = {}, []
    for volume in mounted_volumes(pod):
        try:
            planned[volume["name"]] = _planned(pod, volume, fetched, folder)
        except VolumeFaultError as error:
            faults.append((volume["name"], str(error)))
    if faults:
        raise failed_mount(faults)
    return planned


def _planned(pod: Object, volume: Object, fetched: Fetched, folder: NodeFolder) -> Volume:
    uid, name = pod["metadata"]["uid"], volume["name"]
    if os.path.basename(name) != name or name in ("", ".", ".."):
        raise VolumeFaultError(f"{name!r} is no name of a volume")
    kind = next((field for field in volume if field != "name" and volume[field] is not None), "emptyDir")
    source, path = volume.get(kind) or {}, folder.volume(uid, name)
    if kind in MADE_OF_OBJECTS:
        copies = os.path.join(folder.pod(uid), "subpaths", name)
        return Volume(name, kind, path, source, copies, is_read_only=True)
    if kind == "emptyDir":
        return Volume(name, kind, path, source, size_limit=_size(source.get("sizeLimit")))
    if kind == "ephemeral":
        return Volume(name, kind, path, source)
    if kind == "hostPath":
        return Volume(name, kind, _absolute(source), source, host_type=source.get("type") or "")
    if kind == "persistentVolumeClaim":
        return _claimed(pod, name, source, fetched, folder)
    raise VolumeFaultError(f"volumes of kind {kind} are not supported on this node; {_INSTEAD.get(kind, _HOST)}")


def _claimed(pod: Object, name: str, source: Object, fetched: Fetched, folder: NodeFolder) -> Volume:
    kind, wanted, namespace = "persistentVolumeClaim", source.get("claimName", ""), pod["metadata"].get("namespace", "")
    claim = fetched.claims.get(wanted)
    if claim is None:
        raise VolumeFaultError(not_found(kind, wanted))
    if is_deleting(claim):
        raise VolumeFaultError(f'persistentvolumeclaim "{wanted}" is being deleted')
    spec = claim.get("spec") or {}
    if spec.get("volumeMode") == "Block":
        raise VolumeFaultError(f'claim "{wanted}" is a block device, which a process cannot be given; use Filesystem')
    read_only = bool(source.get("readOnly"))
    bound = fetched.persistent_volumes.get(spec.get("volumeName") or "")
    if bound is None:
        return Volume(name, kind, folder.claim(namespace, wanted), source, is_read_only=read_only)
    path, host_type = _bound_path(bound)
    return Volume(name, kind, path, source, is_read_only=read_only, host_type=host_type or EXISTING)


def _bound_path(volume: Object) -> tuple[str, str]:
    spec, name = volume.get("spec") or {}, volume["metadata"]["name"]
    if spec.get("hostPath"):
        # An empty type is that of a folder which is made when it is missing.
        return _absolute(spec["hostPath"]), spec["hostPath"].get("type") or "DirectoryOrCreate"
    if spec.get("local"):
        return _absolute(spec["local"]), EXISTING
    raise VolumeFaultError(f'PersistentVolume "{name}" is no hostPath and no local path, so it is not on this machine')


def _absolute(source: Object) -> str:
    path = source.get("path") or ""
    if not os.path.isabs(path):
        raise VolumeFaultError(f"{path!r} is no absolute path of this machine")
    if ".." in path.split("/"):
        raise VolumeFaultError(f"{path!r} must not contain '..'")
    return os.path.normpath(path)


def _size(value: object) -> int | None:
    if value is None:
        return None
    try:
        return -(-resource_quantity(quantity_text(value)).nanos // _NANO) or None
    except QuantityError as error:
        raise VolumeFaultError(f"sizeLimit {value!r}: {error}") from error
