"""What a check says."""

from typing import NamedTuple


class Finding(NamedTuple):
    """One check: `ok`, `warn` or `fail`, about what, in one sentence, and how to mend it."""

    level: str
    subject: str
    text: str
    hint: str = ""
