"""Times that have passed, in words."""


def span(seconds: float) -> str:
    """Returns a duration in its two largest units, the way kubectl does: `45s`, `3m12s`, `2h5m`, `3d4h`."""
    whole = max(0, int(seconds))
    for unit, length, smaller, part in (("d", 86400, "h", 3600), ("h", 3600, "m", 60), ("m", 60, "s", 1)):
        if whole >= length:
            rest = whole % length // part
            return f"{whole // length}{unit}" + (f"{rest}{smaller}" if rest else "")
    return f"{whole}s"
