"""What is wrong with a volume, collected until everything is known, and told in the words that Kubernetes uses."""

from collections.abc import Iterable

from corral.engine.node.containers.launch import StartRefusedError


class VolumeFaultError(Exception):
    """One volume or mount cannot be had; the message says which path or object, and why."""


def failed_mount(faults: Iterable[tuple[str, str]]) -> StartRefusedError:
    """Returns the refusal for volumes that cannot be set up, from pairs of volume and reason."""
    told = [f'MountVolume.SetUp failed for volume "{volume}" : {why}' for volume, why in faults]
    return StartRefusedError("FailedMount", "; ".join(told))


def system_word(path: str, error: OSError) -> str:
    """Returns what the operating system said about a path."""
    return f"{error.filename or path}: {error.strerror or error}"
