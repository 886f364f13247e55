"""Objects for programs: JSON, YAML or names, the same data as the API's."""

import json
from collections.abc import Sequence
from typing import Any


def as_document(items: Sequence[dict[str, Any]], form: str, *, is_list: bool) -> str:
    """Returns one object, or several as a List, as JSON or YAML."""
    whole: Any = {"apiVersion": "v1", "kind": "List", "items": list(items)} if is_list else items[0]
    if form == "json":
        return json.dumps(whole, indent=2, ensure_ascii=False)
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return str(yaml.dump(whole, Dumper=dumper, sort_keys=False, allow_unicode=True)).rstrip("\n")
