"""What each container sees of the volumes, and where: whole volumes, or a part of one by `subPath`.

A part must stay inside its volume, whatever symbolic links are in it. A part that is missing becomes a folder. A part of
a volume that is made of objects is a copy from the start of the container, and is not renewed while it runs.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from corral.engine.node.containers.launch import Mount, StartRefusedError
from corral.engine.node.expansion import expand, missing_in
from corral.engine.node.volumes.faults import VolumeFaultError, system_word
from corral.engine.node.volumes.plan import Volume
from corral.kinds.objects import Object


class _Part(NamedTuple):
    """One entry of `volumeMounts`, understood."""

    volume: Volume
    sub_path: str
    mount: Mount


def intended_mounts(container: Object, volumes: Mapping[str, Volume], values: Mapping[str, str]) -> tuple[Mount, ...]:
    """Returns what a container will see, without a look at the disk; parents come before what is mounted in them."""
    return tuple(part.mount for part in _parts(container, volumes, values))


def container_mounts(container: Object, volumes: Mapping[str, Volume], values: Mapping[str, str]) -> tuple[Mount, ...]:
    """Returns what a container sees, and makes the parts of volumes that it asks for; `values` are its variables.

    Raises StartRefusedError (CreateContainerConfigError) when a part cannot be had. Call it at each start.
    """
    mounts = []
    for part in _parts(container, volumes, values):
        if not part.sub_path:
            mounts.append(part.mount)
            continue
        try:
            mounts.append(part.mount._replace(source=_prepared(part)))
        except VolumeFaultError as error:
            raise _refusal(container, part.volume.name, str(error)) from error
        except OSError as error:
            raise _refusal(container, part.volume.name, system_word(part.mount.source, error)) from error
    return tuple(mounts)


def _parts(container: Object, volumes: Mapping[str, Volume], values: Mapping[str, str]) -> list[_Part]:
    if container.get("volumeDevices"):
        message = f"container {container['name']} asks for volumeDevices, which a process cannot be given"
        raise StartRefusedError("CreateContainerConfigError", message)
    parts = list(_understood(container, volumes, values))
    return sorted(parts, key=lambda part: part.mount.path.rstrip("/").count("/"))


def _understood(container: Object, volumes: Mapping[str, Volume], values: Mapping[str, str]) -> Iterator[_Part]:
    for index, entry in enumerate(container.get("volumeMounts") or ()):
        volume = volumes.get(entry["name"])
        if volume is None:
            message = f'cannot find volume "{entry["name"]}" to mount into container "{container["name"]}"'
            raise StartRefusedError("CreateContainerConfigError", message)
        try:
            sub_path = _sub_path(entry, values)
        except VolumeFaultError as error:
            raise _refusal(container, volume.name, str(error)) from error
        source = volume.path
        if sub_path:
            place = os.path.join(volume.copies, container["name"], str(index)) if volume.copies else volume.path
            source = os.path.join(place, os.path.basename(sub_path) if volume.copies else sub_path)
        path = os.path.normpath("/" + entry["mountPath"].lstrip("/"))
        yield _Part(volume, sub_path, Mount(source, path, bool(entry.get("readOnly")) or volume.is_read_only))


def _sub_path(entry: Object, values: Mapping[str, str]) -> str:
    """Returns the part of the volume that is asked for, nothing for all of it."""
    given = entry.get("subPath") or ""
    if entry.get("subPathExpr"):
        missing = missing_in(entry["subPathExpr"], values)
        if missing:
            raise VolumeFaultError(f"subPathExpr {entry['subPathExpr']!r}: missing value for {', '.join(missing)}")
        given = expand(entry["subPathExpr"], values.get)
    if os.path.isabs(given):
        raise VolumeFaultError(f"subPath {given!r} must not be an absolute path")
    if ".." in given.split("/"):
        raise VolumeFaultError(f"subPath {given!r} must not contain '..'")
    if "\0" in given:
        raise VolumeFaultError("subPath must not contain a zero byte")
    return "" if not given or os.path.normpath(given) == "." else os.path.normpath(given)


def _prepared(part: _Part) -> str:
    """Makes a part of a volume, and returns where it is."""
    place = safe_place(part.volume.path, part.sub_path)
    if part.volume.copies:
        return _copied(place, part.mount.source)
    if not os.path.exists(place):
        os.makedirs(place, mode=0o777, exist_ok=True)
    return place


def safe_place(volume: str, sub_path: str) -> str:
    """Returns the true path of a part of a volume; raises VolumeFaultError when links lead out of it."""
    inside, place = os.path.realpath(volume), os.path.realpath(os.path.join(volume, sub_path))
    if place != inside and not place.startswith(inside.rstrip("/") + "/"):
        raise VolumeFaultError(f"subPath {sub_path!r} leads out of the volume, to {place}")
    return place


def _copied(place: str, copy: str) -> str:
    folder = os.path.dirname(copy)
    if os.path.isdir(folder):
        shutil.rmtree(folder)
    os.makedirs(folder, mode=0o700)
    if os.path.isdir(place):
        shutil.copytree(place, copy)
    elif os.path.exists(place):
        shutil.copy(place, copy)
    else:
        os.mkdir(copy)
    return copy


def _refusal(container: Object, volume: str, why: str) -> StartRefusedError:
    message = f'failed to prepare subPath for volumeMount "{volume}" of container "{container["name"]}": {why}'
    return StartRefusedError("CreateContainerConfigError", message)
