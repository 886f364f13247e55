"""Functions as notebooks make them: from a cell, in `__main__`, without a file."""

import linecache
from itertools import count
from typing import Any

_numbers = count(1)


def cell(text: str, **around: Any) -> dict[str, Any]:
    """Runs a cell in a namespace and returns it; its source is known the way IPython lets it be known."""
    name = f"<ipython-input-{next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "__main__", **around}
    exec(compile(text, name, "exec"), namespace)
    return namespace
