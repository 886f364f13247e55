"""Fields that the real server always shows, even when nobody set them: `status: {}`, `firstTimestamp: null`, ...

They are facts of the wire format (Go structures without `omitempty`); clients read them without asking whether they
are there.
"""

from copy import deepcopy
from typing import Any


def fill(obj: dict[str, Any], zeros: dict[str, Any]) -> None:
    """Adds every field of `zeros` that is absent or null, and looks into objects that are there."""
    for key, zero in zeros.items():
        value = obj.get(key)
        if value is None:
            obj[key] = deepcopy(zero)
        elif isinstance(zero, dict) and isinstance(value, dict):
            fill(value, zero)
