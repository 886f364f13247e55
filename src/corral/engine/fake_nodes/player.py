"""Plays pods: writes what a kubelet would write about them, and lets the deleted ones go.

Where a pod stands is read from its status, so a process that is killed and started again goes on where the last one
was; every write names the version that it follows, so that two of them cannot tell a pod's life twice.
"""

from dataclasses import dataclass
from typing import Final, Protocol

from corral.control.mirror import order_of
from corral.control.outcome import DONE, Outcome, RetryAfter
from corral.engine.fake_nodes.addresses import Addresses
from corral.engine.fake_nodes.life import duration, first_moment, following, stopped
from corral.engine.fake_nodes.part import Part
from corral.engine.fake_nodes.pod_words import Moment, Run, moment_of, status_of
from corral.kinds.objects import Object, identity_of, is_deleting, key_of, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD
from corral.ports.clock import Clock
from corral.ports.object_store import DeleteOptions, ObjectStore, Patch
from corral.ports.refusals import ConflictError, NotFoundError
from corral.reconcile.moments import seconds_of, stamp_of

_LAST_SIGHT: Final = 0.5
"""How long a pod that has ended can be seen before it is gone, in seconds: no kubelet is so quick that nobody sees how it ended."""
_TRIES = 3


class Voice(Protocol):
    """What the containers of a pod say; `kind` is `containers` or `initContainers`."""

    def begin(self, pod: Object, part: Part, kind: str) -> None:
        """Lets a run begin to speak; its status does not say yet that it runs."""

    def end(self, pod: Object, kind: str) -> None:
        """Lets a run fall silent for good."""


class Silence:
    """The voice of pods that say nothing."""

    def begin(self, pod: Object, part: Part, kind: str) -> None:
        """Says nothing."""

    def end(self, pod: Object, kind: str) -> None:
        """Says nothing."""


@dataclass(slots=True)
class _Play:
    """What is known of one pod beyond its status, which counts whole seconds only."""

    uid: str
    latest: Object
    moment: Moment | None
    since: float
    """When the moment began, by the monotonic clock."""
    voiced: Moment | None = None
    lent: str = ""
    """The address that it holds."""


class Player:
    """Plays pods that are bound to nodes of ours; nobody else writes about them."""

    def __init__(self, store: ObjectStore, clock: Clock, addresses: Addresses, voice: Voice | None = None) -> None:
        self._store = store
        self._clock = clock
        self._addresses = addresses
        self._voice = voice or Silence()
        self._plays: dict[ObjectKey, _Play] = {}

    async def play(self, pod: Object, part: Part, number: int) -> Outcome:
        """Brings a pod of the node with this number to where it should be by now, and tells when to come again."""
        for attempt in range(_TRIES):
            play = self._play_of(pod)
            try:
                if is_deleting(play.latest):
                    return await self._let_go(play)
                return await self._go_on(play, part, number)
            except NotFoundError:
                return DONE
            except ConflictError:
                if attempt == _TRIES - 1:
                    raise
                pod = await self._store.get(POD, key_of(pod))
                if uid_of(pod) != play.uid:
                    return DONE
        raise AssertionError("unreachable: the last try returns or raises")

    def forget(self, key: ObjectKey) -> None:
        """Drops what is known of a pod that is gone."""
        play = self._plays.pop(key, None)
        if play is not None:
            self._give_back(play)

    async def _go_on(self, play: _Play, part: Part, number: int) -> Outcome:
        if play.moment is None:
            play.lent = play.lent or self._addresses.lend(number)
            taken = Moment(play.lent, self._addresses.of_node(number), self._now())
            await self._write(play, part, first_moment(play.latest, part, taken, self._now()))
        while play.moment is not None:
            lasts = duration(play.moment, part)
            if lasts is None:
                if play.moment.has_ended:
                    self._give_back(play)
                return DONE
            left = play.since + lasts - self._clock.monotonic()
            if left > 0:
                return RetryAfter(left)
            await self._write(play, part, following(play.latest, play.moment, part, self._now()))
        return DONE

    async def _let_go(self, play: _Play) -> Outcome:
        """Ends what runs, then confirms by a delete without grace that nothing does any more, as a kubelet does."""
        if play.moment is not None and not play.moment.has_ended:
            await self._write(play, Part(), stopped(play.moment, self._now()))
        left = play.since + _LAST_SIGHT - self._clock.monotonic()
        if play.moment is not None and left > 0 and play.latest["metadata"].get("deletionGracePeriodSeconds"):
            return RetryAfter(left)  # our own write is heard as well, and brings us here again at once
        await self._store.delete(POD, key_of(play.latest), DeleteOptions(grace_seconds=0, uid=play.uid))
        return DONE

    def _play_of(self, pod: Object) -> _Play:
        """Returns the play of this very pod, in the newest state that was seen or written."""
        key, uid = key_of(pod), uid_of(pod)
        play = self._plays.get(key)
        if play is not None and play.uid == uid:
            if _version(pod) > _version(play.latest):
                play.latest = pod
                self._follow(play, moment_of(pod))
            return play
        if play is not None:
            self.forget(key)
        moment = moment_of(pod)
        play = self._plays[key] = _Play(uid, pod, moment, self._since(moment), moment)
        if moment is not None and not moment.has_ended:
            play.lent = moment.address
            self._addresses.note(moment.address)
        return play

    def _give_back(self, play: _Play) -> None:
        if play.lent:
            self._addresses.give_back(play.lent)
            play.lent = ""

    def _follow(self, play: _Play, moment: Moment | None) -> None:
        """Takes over a moment that was written without this process hearing of its success."""
        if moment != play.moment:
            play.moment, play.since = moment, self._since(moment)

    def _since(self, moment: Moment | None) -> float:
        """Returns when a moment that somebody wrote began, as near as whole seconds tell."""
        began = seconds_of(None if moment is None else moment.since)
        elapsed = 0.0 if began is None else max(0.0, self._clock.now() - began)
        return self._clock.monotonic() - elapsed

    async def _write(self, play: _Play, part: Part, moment: Moment) -> None:
        self._speak(play, part, moment)
        metadata = {"uid": play.uid, "resourceVersion": identity_of(play.latest).version}
        body = {"metadata": metadata, "status": status_of(play.latest, moment, self._now())}
        play.latest = await self._store.patch(POD, key_of(play.latest), Patch("merge", body), subresource="status")
        play.moment, play.since = moment, self._clock.monotonic()

    def _speak(self, play: _Play, part: Part, moment: Moment) -> None:
        """Lets runs speak and fall silent, each once even when the write is tried again."""
        before, play.voiced = play.voiced, moment
        init, main = (before.init, before.main) if before is not None else (Run(), Run())
        for kind, was, now in (("initContainers", init, moment.init), ("containers", main, moment.main)):
            if was.is_running and (was.number, now.is_running) != (now.number, True):
                self._voice.end(play.latest, kind)
            if now.is_running and (not was.is_running or was.number != now.number):
                self._voice.begin(play.latest, part, kind)

    def _now(self) -> str:
        return stamp_of(self._clock.now())


def _version(pod: Object) -> int:
    return order_of(identity_of(pod).version)
