"""Terms about texts: their form, and how they are put together and shown."""

import json
import re

import msgspec

from corral.kinds.training.validation.field_error import path_key, quoted
from corral.kinds.training.validation.terms import Literal, Scope, Term


class Matches(msgspec.Struct, frozen=True):
    """Whether a whole text is of a form, written as a regular expression of RE2."""

    text: Term
    pattern: str

    def value(self, scope: Scope) -> bool:
        """Returns whether the text is of the form."""
        return re.fullmatch(self.pattern, str(self.text.value(scope))) is not None

    def cel(self) -> str:
        """Returns a match with both ends tied; a value that is no text is written as one first."""
        return f"string({self.text.cel()}).matches({json.dumps(f'^(?:{self.pattern})$')})"


class Text(msgspec.Struct, frozen=True):
    """Texts and terms, one after another."""

    parts: tuple[Term, ...]

    def value(self, scope: Scope) -> str:
        """Returns the parts as one text."""
        return "".join(str(part.value(scope)) for part in self.parts)

    def cel(self) -> str:
        """Returns the sum of the parts, each made a text."""
        return " + ".join(part.cel() if isinstance(part, Literal) else f"string({part.cel()})" for part in self.parts)


class Quoted(msgspec.Struct, frozen=True):
    """A text in quotes, safe to show on one line."""

    text: Term

    def value(self, scope: Scope) -> str:
        """Returns the text with its quotes."""
        return quoted(str(self.text.value(scope)))

    def cel(self) -> str:
        """Returns CEL's own quoting, which escapes the same characters."""
        return f"strings.quote(string({self.text.cel()}))"


class Key(msgspec.Struct, frozen=True):
    """A key as a path shows it: escaped like a quoted text, without the quotes."""

    text: Term

    def value(self, scope: Scope) -> str:
        """Returns the escaped key."""
        return path_key(str(self.text.value(scope)))

    def cel(self) -> str:
        """Returns the quoted text without its first and last character."""
        inner = f"strings.quote(string({self.text.cel()}))"
        return f"{inner}.substring(1, {inner}.size() - 1)"


class Lowered(msgspec.Struct, frozen=True):
    """A text in lower case (ASCII)."""

    text: Term

    def value(self, scope: Scope) -> str:
        """Returns the text with A to Z lowered."""
        return "".join(c.lower() if c.isascii() else c for c in str(self.text.value(scope)))

    def cel(self) -> str:
        """Returns CEL's `lowerAscii`."""
        return f"string({self.text.cel()}).lowerAscii()"
