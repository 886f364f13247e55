"""Errors for people: what happened and why, then how to go on."""

from corral.errors import BugError, CorralError


def spoken(error: CorralError) -> str:
    """Returns an error for people: what happened and why, then how to go on."""
    lines = [f"error: {error.message}"]
    if error.hint:
        lines.append(f"hint: {error.hint}")
    if isinstance(error, BugError):
        lines.append(f"hint: this is a fault of Corral itself ({error.code}); please report it with the lines above")
    return "\n".join(lines)
