"""What an earlier life of the node started for pods that are no more, until the last of it is cleared away."""

import logging
from collections.abc import Callable, Mapping

from corral.errors import RetryError
from corral.kinds.references import ObjectKey

_log = logging.getLogger("corral.engine.node.pods")


class Strangers:
    """Pods, by uid, of which something is left; as long as it is, no other pod of their name may start."""

    def __init__(self, keys: Mapping[str, ObjectKey | None], clear: Callable[[str], None]) -> None:
        self._keys = dict(keys)
        self._clear = clear
        self._tries = 0

    def __bool__(self) -> bool:
        return bool(self._keys)

    def holds_back(self, key: ObjectKey) -> bool:
        """Whether a pod of this name has to wait."""
        return key in self._keys.values()

    def clear(self) -> list[ObjectKey]:
        """Tries to clear all of them away, and returns the names that are free now.

        What stays is told at the first try, the second, the fourth and so on: a pod may wait for it.
        """
        self._tries += 1
        is_told = self._tries & (self._tries - 1) == 0
        freed = []
        for uid, key in list(self._keys.items()):
            try:
                self._clear(uid)
            except Exception as error:  # noqa: BLE001 - one folder must not keep the node from everything else
                if is_told:
                    unexpected = None if isinstance(error, RetryError) else error
                    fields = {"uid": uid, "pod": str(key or ""), "tries": self._tries, "why": str(error)}
                    _log.warning("something of a pod stays", extra=fields, exc_info=unexpected)
                continue
            del self._keys[uid]
            if key is not None:
                freed.append(key)
        return freed
