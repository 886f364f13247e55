"""Numbers in sentences."""

from corral.kinds.quantities import QuantityError, parse_quantity

_NANO = 10**9
_RESOURCES = {"cpu": "CPUs", "memory": "of memory", "ephemeral-storage": "of disk", "pods": "places for pods"}


def amount(resource: str, nanos: int) -> str:
    """Returns an amount in words: `8 GPUs`, `1.5 CPUs`, `16 GiB of memory`, `4 rdma/hca`."""
    from corral.kinds.gpus import is_gpu

    if resource in ("memory", "ephemeral-storage"):
        return f"{_size(nanos / _NANO)} {_RESOURCES[resource]}"
    number = f"{nanos / _NANO:g}" if nanos % _NANO else str(nanos // _NANO)
    what = "GPUs" if is_gpu(resource) else _RESOURCES.get(resource, resource)
    return f"{number} {what[:-1] if number == '1' and what in ('GPUs', 'CPUs') else what}"


def plain(nanos: int) -> float | int:
    """Returns an amount as a number: of bytes, of processors, of devices."""
    return nanos // _NANO if nanos % _NANO == 0 else nanos / _NANO


def nanos_of(value: object) -> int:
    """Returns a quantity in billionths; what is none counts as nothing."""
    try:
        return parse_quantity(str(value)).nanos
    except QuantityError:
        return 0


def _size(count: float) -> str:
    for unit, length in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= length:
            return f"{count / length:.1f}".removesuffix(".0") + f" {unit}"
    return f"{count:.0f} bytes"


def some(count: int, total: int, what: str = "pods") -> str:
    """Returns how many of how many: `2 of 4 pods`, `its only pod`, `both pods`, `all 4 pods`."""
    if total == 1:
        return f"its only {what.removesuffix('s')}"
    if count == total:
        return f"both {what}" if total == 2 else f"all {total} {what}"
    return f"{count} of {total} {what}"


def listed(words: list[str], most: int = 3) -> str:
    """Returns words as a list in a sentence; of many only the first."""
    shown = words[:most]
    rest = len(words) - len(shown)
    if rest:
        return f"{', '.join(shown)} and {rest} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""
