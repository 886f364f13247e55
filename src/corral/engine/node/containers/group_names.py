"""How the control groups of a run are called.

Apart from the record, because those who only join a container never need it and start faster without.
"""

import hashlib
import os


def group_name(owner: str) -> str:
    """Returns the name of the control groups of a run."""
    return owner.replace("/", "_")


def node_name(folder: str) -> str:
    """Returns a short name for the node that a run folder belongs to: several nodes share the machine's control groups."""
    root = os.path.normpath(os.path.join(folder, *[".."] * 5))
    return hashlib.blake2s(os.fsencode(root), digest_size=6).hexdigest()
