"""What the loops need to follow kinds that they do not know by name, as garbage collection does."""

from typing import Protocol

from corral.kinds.catalogue import Catalogue


class Discovery(Protocol):
    """Knows which resources a server has."""

    async def catalogue(self, *, refresh: bool = False) -> Catalogue:
        """Returns what the server serves; asked once and remembered, again with `refresh` (custom kinds come and go).

        A group that does not answer is listed as unavailable: what belongs to it is unknown, not gone.
        """
