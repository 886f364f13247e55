"""Whether a run with troubles came to the same end as one without."""

from typing import Any

from tests.training.sweeps.end_state import End


def differences(clean: End, seen: End) -> list[str]:
    """Returns everything in which a run differs from a clean one and must not; nothing when all is well."""
    found = [*seen.complaints, *_between(clean.state, seen.state, "")]
    if seen.made != clean.made:
        found.append(f"pods made: {seen.made} instead of {clean.made}")
    if seen.deleted != clean.deleted:
        found.append(f"pods deleted: {seen.deleted} instead of {clean.deleted}")
    if seen.writes_at_rest:
        found.append(f"{seen.writes_at_rest} writes at rest")
    return found


def _between(wanted: Any, seen: Any, path: str) -> list[str]:
    if isinstance(wanted, dict) and isinstance(seen, dict):
        names = sorted({*wanted, *seen})
        return [line for name in names for line in _between(wanted.get(name), seen.get(name), f"{path}.{name}")]
    if isinstance(wanted, list) and isinstance(seen, list) and len(wanted) == len(seen):
        pairs = zip(wanted, seen, strict=True)
        return [line for at, (one, two) in enumerate(pairs) for line in _between(one, two, f"{path}[{at}]")]
    return [] if wanted == seen else [f"{path}: {seen!r} instead of {wanted!r}"]
