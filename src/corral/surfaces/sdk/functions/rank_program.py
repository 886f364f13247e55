"""What each rank of a function runs. It is sent as it is, next to the function, so it needs nothing but Python itself.

`corral_call.json` beside it says which function is meant, and its arguments. The result is the last line that it prints.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import types
from typing import Any

MARK = "corral-result:"
MOST_BYTES = 256 * 1024
RANKS = ("RANK", "PROCESS_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PADDLE_TRAINER_ID")


def function_of(call: dict[str, Any], folder: str) -> Any:
    """Returns the function: from its module, or from its own source with the names that it uses put around it."""
    if not call["source"]:
        return getattr(importlib.import_module(call["module"]), call["function"])
    module = types.ModuleType(call["module"])
    sys.modules[call["module"]] = module
    for name, source, attribute in call["imports"]:
        found: Any = importlib.import_module(source)
        for part in attribute.split(".") if attribute else ():
            found = getattr(found, part)
        setattr(module, name, found)
    for name, value in call["constants"].items():
        setattr(module, name, value)
    path = os.path.join(folder, call["source"])
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), module.__dict__)  # noqa: S102 - that is what it is for
    return getattr(module, call["function"])


def told(result: Any) -> dict[str, Any]:
    """Returns a result as JSON, or why it cannot be told."""
    try:
        text = json.dumps(result)
    except (TypeError, ValueError, RecursionError) as error:
        return {"error": f"{type(result).__name__}: {error}"}
    if len(text) > MOST_BYTES:
        return {"error": f"it has {len(text)} bytes, more than {MOST_BYTES}"}
    return {"value": result}


def main() -> None:
    """Calls the function and prints its result."""
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, folder)
    with open(os.path.join(folder, "corral_call.json"), encoding="utf-8") as file:
        call = json.load(file)
    result = function_of(call, folder)(*call["args"], **call["kwargs"])
    rank = next((int(os.environ[name]) for name in RANKS if os.environ.get(name, "").isdigit()), None)
    sys.stderr.flush()
    print(MARK, json.dumps({"rank": rank, **told(result)}), flush=True)


if __name__ == "__main__":
    main()
