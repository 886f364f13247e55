"""Sentences on a terminal: they go on in the next line between two words; into a pipe they go as they are."""

from corral.surfaces.cli.render.terminal import Surroundings

_LEAST = 30


def flowing(text: str, where: Surroundings, *, indent: str = "") -> str:
    """Returns a sentence in lines that fit; one that is a command stays in one line, so that it can be copied."""
    if where.width is None or text.startswith("corral "):
        return indent + text
    from textwrap import wrap

    room = max(where.width, _LEAST)
    lines = wrap(text, room, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return "\n".join(lines) or indent
