"""The asynchronous client with the manners of the synchronous one, so that both pass the same tests."""

import asyncio
from collections.abc import Iterator
from typing import Any

from corral.sdk import AsyncClient, AsyncJob, AsyncJobs


class Blocking:
    """Stands for an asynchronous client or job: what it returns is awaited, and is such a stand-in again."""

    def __init__(self, own: AsyncClient | AsyncJob, loop: asyncio.AbstractEventLoop) -> None:
        self.own = own
        self._loop = loop

    def __repr__(self) -> str:
        return repr(self.own)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.own, name)
        if not callable(found) or name.startswith("_repr"):
            return found

        def call(*args: Any, **kwargs: Any) -> Any:
            plain = [one.own if isinstance(one, Blocking) else one for one in args]
            result = found(*plain, **kwargs)
            if hasattr(result, "__anext__"):
                return self._each(result)
            return self._standing(self._loop.run_until_complete(result))

        return call

    def _standing(self, result: Any) -> Any:
        if isinstance(result, AsyncJobs):
            return [Blocking(one, self._loop) for one in result]
        return Blocking(result, self._loop) if isinstance(result, AsyncJob) else result

    def _each(self, stream: Any) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._loop.run_until_complete(anext(stream))
                except StopAsyncIteration:
                    return
        finally:
            self._loop.run_until_complete(stream.aclose())
