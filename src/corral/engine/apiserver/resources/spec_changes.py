"""The difference of two specs as kube-apiserver prints it into "spec is immutable" errors: unified, over indented JSON."""

import json
from difflib import unified_diff
from typing import Any


def spec_diff(before: Any, after: Any) -> str:
    """Returns the hunks of a unified diff of two JSON values, without file names."""
    was, now = (json.dumps(value, indent=1, ensure_ascii=False).splitlines(keepends=False) for value in (before, after))
    lines = list(unified_diff(was, now, lineterm="", n=3))[2:]
    return "".join(f"{line}\n" for line in lines)
