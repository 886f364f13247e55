"""When to send a call again: a policy that is a value, and the conversation both transports hold with it.

`exchange` is a generator without I/O: it says what to do next (send, pause, renew credentials) and is told what came
of it. The synchronous and the asynchronous transport run the same conversation.
"""

from collections.abc import Callable, Generator

import msgspec

from corral.adapters.kubernetes.answers import Answer, refusal_of
from corral.adapters.kubernetes.calls import Call
from corral.errors import CorralError
from corral.ports.refusals import OverloadedError, UnreachableError


class RetryPolicy(msgspec.Struct, frozen=True):
    """How often and how patiently; waits grow by doubling and are scattered, so that many clients do not march in step."""

    attempts: int = 4
    first_wait: float = 0.1
    longest_wait: float = 2.0
    longest_asked_wait: float = 30.0
    """The longest Retry-After that is waited for; a longer one is the caller's to handle."""

    def wait_before_next(self, call: Call, failure: CorralError, attempt: int, fraction: float) -> float | None:
        """Returns the seconds to wait before trying again, or None to give up. `attempt` counts from 1."""
        if attempt >= self.attempts or not self._may_repeat(call, failure):
            return None
        asked = getattr(failure, "retry_after", None)
        if asked is not None:
            return asked + fraction * 0.5 if asked <= self.longest_asked_wait else None
        grown = min(self.first_wait * 2.0 ** (attempt - 1), self.longest_wait)
        return grown * (0.5 + fraction / 2)

    def _may_repeat(self, call: Call, failure: CorralError) -> bool:
        if isinstance(failure, UnreachableError):
            return call.repeatable or not failure.delivered
        if isinstance(failure, OverloadedError):
            # 429 is refused before anything was done; other codes may come from a half-done write.
            return call.repeatable or failure.http_status == 429
        return False


PATIENT = RetryPolicy()
"""For ordinary calls."""
NEVER = RetryPolicy(attempts=1)
"""For streams, whose users have a back-off of their own, and for callers that want to see every failure."""


class Send(msgspec.Struct, frozen=True):
    """Send the call once; tell the answer, or the failure to get one."""


class Pause(msgspec.Struct, frozen=True):
    """Wait so many seconds."""

    seconds: float


class Renew(msgspec.Struct, frozen=True):
    """The credentials were refused: read or fetch them again; tell whether others than before are there."""


Step = Send | Pause | Renew
Told = Answer | UnreachableError | bool | None


def exchange(call: Call, policy: RetryPolicy, fraction: Callable[[], float]) -> Generator[Step, Told, Answer]:
    """Talks until there is a successful answer, which it returns, or until the policy gives up, then raises."""
    attempt = 0
    renewed = False
    while True:
        attempt += 1
        told = yield Send()
        if isinstance(told, Answer):
            if told.status < 400:
                return told
            if told.status == 401 and not renewed:
                renewed = True
                if (yield Renew()):
                    attempt -= 1
                    continue
            failure: CorralError = refusal_of(told, call.what)
        elif isinstance(told, UnreachableError):
            failure = told
        else:
            raise TypeError(f"a sent call ends in an answer or a failure, not in {told!r}")
        wait = policy.wait_before_next(call, failure, attempt, fraction())
        if wait is None:
            raise failure
        yield Pause(wait)
