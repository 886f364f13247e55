"""What a job was made of, on disk for as long as it is deleted and not made again: also a killed command loses nothing."""

import os

from corral.engine.small_files import write_private
from corral.engine.supervisor.home import default_home
from corral.engine.supervisor.unusable_home import examine, refusals_told
from corral.kinds.references import ObjectKey


def keep(key: ObjectKey, uid: str, text: str) -> str:
    """Writes the objects of a job to a file that only the user may read, and returns it."""
    home = default_home()
    examine(home)
    with refusals_told(home):
        os.makedirs(home.root, mode=0o700, exist_ok=True)
        os.makedirs(home.replaced, mode=0o700, exist_ok=True)
        path = os.path.join(home.replaced, f"{key.namespace}.{key.name}.{uid}.json")
        write_private(path, text + "\n")
    return path


def forget(path: str) -> None:
    """Removes the file of a job that is there again."""
    home = default_home()
    with refusals_told(home):
        os.unlink(path)
