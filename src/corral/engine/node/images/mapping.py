"""What users have said about the images of one pattern."""

from typing import Any

import msgspec


class ImageMapping(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The meaning of all images whose name matches a pattern; paths are absolute, and nothing stands for not said."""

    pattern: str
    python: str = ""
    """The interpreter that the image's Python is here."""
    environment: str = ""
    """The virtual environment that this interpreter belongs to."""
    command: tuple[str, ...] = ()
    """The entry point, for containers that give none."""
    workdir: str = ""
    env: dict[str, str] = {}
    files: dict[str, str] = {}
    """Files and folders of this machine, by the path at which the image has them."""

    def document(self) -> dict[str, Any]:
        """Returns everything about the mapping as JSON values, also what was not said."""
        return {field: msgspec.to_builtins(getattr(self, field)) for field in self.__struct_fields__}
