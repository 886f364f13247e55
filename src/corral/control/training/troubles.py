"""Jobs that cannot be looked after: what would only stand in the operator's log is told to the job's owner as an event.

One failure may be chance. The second in a row, of a sort that trying again does not mend, is a bug of ours or a right
that is missing, and the job would otherwise stand still without a word.
"""

from collections.abc import Callable

from corral.control.controller import Reconcile
from corral.control.outcome import Outcome
from corral.errors import PermanentError, RetryError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.ports.refusals import NotFoundError
from corral.reconcile.plan import EmitEvent

REASON = "FailedReconcile"
_TOLD_AT = 2
_MOST_TEXT = 700
"""Characters of a failure that are told; an event has room for 1024."""


class Troubles:
    """Counts failures in a row of the jobs of one kind, and tells of those that stay."""

    def __init__(
        self, resource: ApiResource, find: Callable[[ObjectKey], Object | None], tell: Callable[[EmitEvent], None]
    ) -> None:
        self._resource = resource
        self._find = find
        self._tell = tell
        self._in_a_row: dict[ObjectKey, int] = {}

    def __len__(self) -> int:
        return len(self._in_a_row)

    def heard(self, reconcile: Reconcile) -> Reconcile:
        """Returns the same reconcile function, whose failures are heard of."""

        async def listening(key: ObjectKey) -> Outcome:
            try:
                outcome = await reconcile(key)
            except Exception as error:
                self._take(key, error)
                raise
            self._in_a_row.pop(key, None)
            return outcome

        return listening

    def _take(self, key: ObjectKey, error: Exception) -> None:
        times = self._in_a_row[key] = self._in_a_row.get(key, 0) + 1
        job = self._find(key)
        if job is not None and times >= _TOLD_AT and _stays_untold(error):
            text = f"{type(error).__name__}: {error}"[:_MOST_TEXT]
            message = f"This job cannot be looked after: {text} (tried again and again; the operator's log tells more)"
            self._tell(EmitEvent(self._resource, job, REASON, message, "Warning", repeats=False))


def _stays_untold(error: Exception) -> bool:
    """Whether a failure will not end by itself and nobody has heard of it; a 404 is a race with a deletion."""
    if isinstance(error, PermanentError):
        return not (error.was_told or isinstance(error, NotFoundError))
    return not isinstance(error, RetryError)
