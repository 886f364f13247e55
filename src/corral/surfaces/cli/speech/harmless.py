"""Text that others wrote, made harmless for a terminal: no escape sequence and no control character passes.

A log line can otherwise rename the window, hide what came before it, or type into the shell. Colours are dropped; what
else cannot be shown is shown by name. Files and pipes get the bytes as they are.
"""

import re

_COLOURS = re.compile("\x1b\\[[0-9;:]*m")
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"} | {0x7F: 0x2421}
_NAMED = {code: f"\\x{code:02x}" for code in range(0x80, 0xA0)}
_TURNING = {code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))}
"""Marks that turn the direction of writing, and separators that some terminals break lines at."""
_TABLE: dict[int, int | str] = {**_PICTURES, **_NAMED, **_TURNING}


def harmless(text: str) -> str:
    """Returns the text with colours dropped and everything that steers a terminal made visible."""
    return _COLOURS.sub("", text).replace("\r\n", "\n").translate(_TABLE)
