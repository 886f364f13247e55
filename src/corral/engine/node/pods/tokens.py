"""Tokens of service accounts for the volumes of pods: asked for once, and again when most of their time is over.

As kubelet does it. They are kept in memory only, by pod: a node that starts asks for them anew, and forgets those of pods that
are gone.
"""

from collections.abc import Iterable
from typing import NamedTuple

from corral.engine.node.volumes.references import TokenRequest
from corral.errors import RetryError
from corral.kinds.objects import Object, uid_of
from corral.kinds.well_known import SERVICE_ACCOUNT
from corral.ports.clock import Clock
from corral.ports.object_store import ObjectWriter
from corral.reconcile.moments import seconds_of

USED_UP = 0.8
"""The part of its time after which a token is renewed."""
OLDEST = 86400.0
"""Seconds after which it is renewed however long it is good for."""


class Token(NamedTuple):
    """A token that was given out, with times in seconds since the epoch."""

    text: str
    asked: float
    expires: float

    def is_due(self, now: float) -> bool:
        """Whether it is time for a new one; also when the clock was set back before this one was asked for."""
        return not self.asked <= now < self.asked + min(OLDEST, (self.expires - self.asked) * USED_UP)


class AccountTokens:
    """The tokens of the pods of this node."""

    def __init__(self, store: ObjectWriter, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._kept: dict[str, dict[TokenRequest, Token]] = {}

    async def of(self, pod: Object, requests: Iterable[TokenRequest]) -> dict[TokenRequest, str]:
        """Returns the tokens of the pod's account that its volumes ask for; NotFoundError where the API makes none."""
        return {request: await self._current(pod, request) for request in requests}

    def forget(self, uid: str) -> None:
        """Lets go of the tokens of a pod."""
        self._kept.pop(uid, None)

    async def _current(self, pod: Object, request: TokenRequest) -> str:
        kept = self._kept.setdefault(uid_of(pod), {})
        known, now = kept.get(request), self._clock.now()
        if known is not None and not known.is_due(now):
            return known.text
        try:
            kept[request] = await self._asked(pod, request)
        except RetryError:
            # Asked again with the next look; what is in the volume is good until then.
            if known is None or now >= known.expires:
                raise
        return kept[request].text

    async def _asked(self, pod: Object, request: TokenRequest) -> Token:
        metadata, now = pod["metadata"], self._clock.now()
        bound = {"kind": "Pod", "apiVersion": "v1", "name": metadata["name"], "uid": uid_of(pod)}
        spec: Object = {"expirationSeconds": request.seconds, "boundObjectRef": bound}
        if request.audience:
            spec["audiences"] = [request.audience]
        account = str(pod["spec"].get("serviceAccountName") or "default")
        body = {"metadata": {"name": account, "namespace": metadata["namespace"]}, "spec": spec}
        status = (await self._store.create(SERVICE_ACCOUNT, body, subresource="token"))["status"]
        # The server may give another time than was asked for.
        expires = seconds_of(status.get("expirationTimestamp")) or now + request.seconds
        return Token(str(status["token"]), now, expires)
