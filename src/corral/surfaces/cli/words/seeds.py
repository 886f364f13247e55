"""Seeds as people write them: `42-51`, `1,2,7`, or both."""

from typing import TYPE_CHECKING, Any

import click

_MOST = 1000

if TYPE_CHECKING:
    _Base = click.ParamType[tuple[int, ...]]
else:
    _Base = click.ParamType  # older versions of click cannot say of which type


class SeedsType(_Base):
    """Reads a list of seeds."""

    name = "seeds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Returns the seeds, each once, in the order in which they were written."""
        if isinstance(value, tuple):
            return value
        seeds: dict[int, None] = {}
        for part in str(value).split(","):
            first, dash, last = part.strip().partition("-")
            bounds = (first, last) if dash else (first, first)
            if not all(bound.isascii() and bound.isdigit() and len(bound) < 10 for bound in bounds):
                self.fail(f"{value!r} is no list of seeds; write 42-51 or 1,2,7", param, ctx)
            low, high = int(bounds[0]), int(bounds[1])
            if high < low or high - low >= _MOST:
                self.fail(f"{part.strip()!r} are no seeds from low to high, at most {_MOST}", param, ctx)
            seeds.update(dict.fromkeys(range(low, high + 1)))
        return tuple(seeds)
