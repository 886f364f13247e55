"""Files of this machine, for copies into jobs and out of them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corral.ports.archives import Packer, Unpacker


def packer() -> "Packer":
    """Returns what makes archives of files."""
    from corral.adapters.local_files.packing import TarPacker

    return TarPacker()


def unpacker() -> "Unpacker":
    """Returns what takes files out of archives."""
    from corral.adapters.local_files.unpacking import TarUnpacker

    return TarUnpacker()
