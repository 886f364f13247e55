"""Reading a page of metrics."""

import re
from collections.abc import Mapping

_LINE = re.compile(r"^(?P<name>[a-zA-Z_:][\w:]*)\{(?P<labels>[^}]*)\} (?P<value>\S+)$")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def value_of(page: str, name: str, labels: Mapping[str, str]) -> float:
    """Returns the value of a metric with these labels; 0 when it is not there."""
    for line in page.splitlines():
        found = _LINE.match(line)
        if found and found["name"] == name and dict(_LABEL.findall(found["labels"])).items() >= labels.items():
            return float(found["value"])
    return 0.0
