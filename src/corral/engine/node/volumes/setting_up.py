"""Makes the volumes of a pod on disk. Calling it again brings them up to date, and costs little when they are."""

import os
from collections.abc import Mapping

from corral.engine.node.volumes.atomic_files import write_files
from corral.engine.node.volumes.faults import VolumeFaultError, failed_mount, system_word
from corral.engine.node.volumes.host_paths import ensure_host_path
from corral.engine.node.volumes.payload import Ingredients, payload_of
from corral.engine.node.volumes.plan import MADE_OF_OBJECTS, Volume


def set_up(volumes: Mapping[str, Volume], ingredients: Ingredients) -> tuple[str, ...]:
    """Makes what is not there and renews what has changed; returns the names of the volumes with new files.

    Raises StartRefusedError (FailedMount) with everything that cannot be made; what can be is made all the same.
    """
    changed, faults = [], []
    for volume in volumes.values():
        try:
            if _made(volume, ingredients):
                changed.append(volume.name)
        except VolumeFaultError as error:
            faults.append((volume.name, str(error)))
        except OSError as error:
            faults.append((volume.name, system_word(volume.path, error)))
    if faults:
        raise failed_mount(faults)
    return tuple(changed)


def _made(volume: Volume, ingredients: Ingredients) -> bool:
    if volume.kind in MADE_OF_OBJECTS:
        files = payload_of(volume.kind, volume.source, ingredients)
        os.makedirs(os.path.dirname(volume.path), mode=0o700, exist_ok=True)
        return write_files(volume.path, files)
    if volume.kind == "hostPath" or volume.host_type:
        ensure_host_path(volume.path, volume.host_type)
        return False
    os.makedirs(os.path.dirname(volume.path), mode=0o700, exist_ok=True)
    os.makedirs(volume.path, mode=0o777, exist_ok=True)
    return False
