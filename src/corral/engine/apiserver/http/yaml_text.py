"""JSON values as YAML text, in block form with sorted keys.

The YAML library's C code holds the interpreter for as long as its document is: a list of thousands would stop every
other client for seconds, also from a thread. This writes what JSON can hold and nothing else, five times as fast, and in
plain Python, so that other threads have their turn.
"""

import json
import re
from json.encoder import encode_basestring
from typing import Any, Final

_PLAIN: Final = re.compile(r"[A-Za-z/][A-Za-z0-9_./@:+-]*(?<!:)\Z")
_WORDS: Final = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
"""Plain texts that are something else to readers of YAML 1.1 or 1.2, in any case."""
_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_LONGEST_KEY: Final = 1000
"""A longer key must be announced by a question mark; 1024 is YAML's own limit."""


def yaml_text(value: Any, indent: str = "") -> str:
    """Returns a value as lines of YAML, each ended by a newline; `indent` stands before all but the first."""
    out: list[str] = []
    if isinstance(value, dict | list) and value:
        _block(value, indent, out)
    else:
        out.append(_scalar(value) + "\n")
    return "".join(out)


def _block(value: dict[str, Any] | list[Any], indent: str, out: list[str]) -> None:
    """Writes the lines of a container that is not empty; whoever calls has written the indent of the first."""
    first = True
    for key in sorted(value) if isinstance(value, dict) else range(len(value)):
        item: Any = value[key]  # type: ignore[index]
        if not first:
            out.append(indent)
        first = False
        if isinstance(key, str):
            _field(key, item, indent, out)
        elif isinstance(item, dict | list) and item:
            out.append("- ")
            _block(item, indent + "  ", out)
        else:
            out.append(f"- {_scalar(item)}\n")


def _field(key: str, item: Any, indent: str, out: list[str]) -> None:
    name = _quoted(key)
    if len(name) > _LONGEST_KEY:
        name = f"? {name}\n{indent}"
    if isinstance(item, dict) and item:
        out.append(f"{name}:\n{indent}  ")
        _block(item, indent + "  ", out)
    elif isinstance(item, list) and item:
        out.append(f"{name}:\n{indent}")
        _block(item, indent, out)
    else:
        out.append(f"{name}: {_scalar(item)}\n")


def _scalar(value: Any) -> str:
    """Returns a text, number, boolean or null, or an empty container."""
    if isinstance(value, str):
        return _quoted(value)
    if value.__class__ is int:
        return str(value)
    shown = json.dumps(value)
    # To readers of YAML 1.1 a number without a dot is no float.
    return shown.replace("e", ".0e") if isinstance(value, float) and "." not in shown else shown


def _quoted(text: str) -> str:
    """Returns a text as it is where no reader can mistake it, otherwise in the quotes that JSON and YAML share."""
    if _PLAIN.match(text) and text.lower() not in _WORDS:
        return text
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", encode_basestring(text))
