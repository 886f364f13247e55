"""The containers of the pods of this node: started, found again, watched, and ended.

This is where orders become processes. Whatever happens to a run is told to the loop by its pod's name, which then looks.
"""

import logging
import os
from collections.abc import Callable, Mapping

from corral.control.runtime import Runtime
from corral.engine.node.addressing.ledger import RENEWED
from corral.engine.node.containers.failed_starts import start_or_fail, take_back
from corral.engine.node.containers.launch import START_ERROR, WAITING, StartRefusedError
from corral.engine.node.containers.memory_watchdog import MemoryWatchdog
from corral.engine.node.containers.record import Run
from corral.engine.node.containers.watching import EndWatch
from corral.engine.node.folder import NodeFolder
from corral.engine.node.pods.claims import claims_of
from corral.engine.node.pods.evidence import how_it_ended
from corral.engine.node.pods.hooks_and_probes import HooksAndProbes
from corral.engine.node.pods.life import Start, Stop
from corral.engine.node.pods.live_pod import LiveContainer, LivePod
from corral.engine.node.pods.outfit import Neighbours, Outfitter
from corral.engine.node.pods.pod_events import PodEvents
from corral.engine.node.pods.pod_logs import PodLogs
from corral.engine.node.pods.pod_records import PodRecords
from corral.engine.node.pods.ports_in_use import foreign_ports, notes_on_taken_ports, refuse_taken_ports
from corral.engine.node.pods.refusals import refused_by_api, refused_by_machine
from corral.engine.node.pods.security import User, not_applied, refuse_root
from corral.engine.node.pods.sight import RunSight
from corral.engine.node.pods.stopping import Stopping, stop_signal_of
from corral.engine.node.probes.checks import unknown_checks
from corral.errors import PermanentError
from corral.kinds.objects import Object, uid_of
from corral.kinds.references import ObjectKey
from corral.reconcile.moments import seconds_of

RENEW_SECONDS = 60.0
"""How often files made of ConfigMaps, Secrets and fields are brought up to date, as kubelet does."""

_log = logging.getLogger("corral.engine.node.pods")


class ContainersOfPod:
    """Carries out what was decided about containers."""

    def __init__(self, runtime: Runtime, folder: NodeFolder, outfitter: Outfitter, logs: PodLogs) -> None:
        self.changed: Callable[[ObjectKey], None] = lambda key: None
        """Is told of the pod about whose containers there is news."""
        self.records = PodRecords(folder)
        self.events = PodEvents(runtime.events)
        self._clock = runtime.clock
        self._folder = folder
        self._outfitter = outfitter
        self._logs = logs
        self._user = User(os.geteuid(), os.getegid())
        self._beside = HooksAndProbes(runtime.clock, self.events, lambda key: self.changed(key))
        self._live: dict[str, LivePod] = {}
        self._watchdog = MemoryWatchdog(lambda run: _log.info("memory limit enforced", extra={"run": run.owner}))
        self._watches: dict[str, EndWatch] = {}

    # --- finding again ---

    def found(self, pod: Object, now: float) -> LivePod:
        """Returns a pod with everything that is recorded of it."""
        taken = seconds_of((pod.get("status") or {}).get("startTime")) or now
        live = self._live[uid_of(pod)] = LivePod(pod, taken)
        for name, container in live.containers.items():
            for number, run in self.records.runs(live.uid, name):
                self._take_up(live, container, run, number)
        return live

    # --- starting ---

    async def start(self, live: LivePod, order: Start) -> None:
        """Starts a run, or notes why that is not possible now."""
        container = live.containers[order.container]
        try:
            _refuse_unknown_checks(container.spec)
            refuse_root(live.pod, container.spec, self._user)
            refuse_taken_ports(live.pod, container.spec)
            self.records.note(live.pod)
            self._logs.take(live.pod)
            outfit = await self._outfitter.outfit(live.pod, container.spec, order.number, self._neighbours)
            await self._give_up_foreign_ports(live, outfit.own_ports)
            taken_ports = list(notes_on_taken_ports(live.pod, container.spec, outfit.own_ports))
            run = start_or_fail(outfit.launch._replace(streak=order.streak))
        except StartRefusedError as refusal:
            self._refused(live, container, refusal)
            return
        except OSError as error:
            self._refused(live, container, refused_by_machine(error, self._folder.root))
            return
        except PermanentError as error:
            self._refused(live, container, refused_by_api(error))
            return
        for note in outfit.notes:
            self.events.warn(live, "InvalidEnvironmentVariableNames", note)
        for taken in taken_ports:
            self.events.warn(live, "PortInUse", taken)
        left_out = not_applied(live.pod, container.spec, self._user) if order.number == 0 else ""
        if left_out:
            self.events.warn(live, "SecurityContextNotApplied", left_out)
        if run.holder.pid:
            self.events.tell(live, "Started", f"Started container {order.container} as process {run.holder.pid}")
        self._take_up(live, container, run, order.number, is_new=True)
        self.records.drop_old_runs(live.uid, order.container)

    async def _give_up_foreign_ports(self, live: LivePod, own_ports: Mapping[int, int]) -> None:
        """Refuses a start whose loopback ports others have; the next try gets other ports."""
        for port in foreign_ports(own_ports):
            told = await self._outfitter.give_up_port(live.pod, port)
            if told:
                self.events.warn(live, RENEWED, told)
                raise StartRefusedError(WAITING, told)

    def _refused(self, live: LivePod, container: LiveContainer, refusal: StartRefusedError) -> None:
        """Notes why a container cannot be started now, and tells it when that is news."""
        is_news = container.refused(refusal.reason, refusal.message, self._clock.now())
        if is_news and refusal.reason != WAITING:
            reason = refusal.reason if refusal.reason == "FailedMount" else "Failed"
            self.events.warn(live, reason, f"{container.spec['name']}: {refusal.message}")

    def _take_up(self, live: LivePod, container: LiveContainer, run: Run, number: int, *, is_new: bool = False) -> None:
        """Takes a run into care, running or ended."""
        container.started(run, RunSight(number, run.started_at, streak=run.streak))
        if not run.is_running():
            self._ended(live, container, run, number, is_news=is_new)
            return
        self._logs.begin(live.pod, container.spec, number)
        self._watchdog.watch(run)
        self._watches[run.folder] = EndWatch(run.holder, lambda: self.changed(live.key))
        self._beside.begin(live, container, run, is_new=is_new)

    async def renew(self, live: LivePod) -> float | None:
        """Brings the files of a pod up to date when that is due; returns when it is due next, None when never."""
        if live.is_over or not self._outfitter.is_renewable(live.pod):
            return None
        now = self._clock.now()
        if live.renewed_at and now - live.renewed_at >= RENEW_SECONDS:
            try:
                await self._outfitter.renew(live.pod)
            except StartRefusedError as refusal:
                self.events.warn(live, "FailedMount", refusal.message)
            live.renewed_at = now
        live.renewed_at = live.renewed_at or now
        return live.renewed_at + RENEW_SECONDS

    def _neighbours(self) -> Neighbours:
        """Returns what is in use now; a pod that is over holds nothing any more.

        Pods that are on disk and were not looked at yet, after a restart of the node, hold what they had.
        """
        running = [one for live in self._live.values() for one in live.containers.values() if one.run is not None]
        over = {live.uid for live in self._live.values() if live.is_over}
        uids = frozenset(self.records.uids()) - over
        cpus = tuple(one.run.cpus for one in running if one.run is not None and one.run.cpus)
        return Neighbours(uids, cpus, self._claims_in_use())

    def _claims_in_use(self) -> dict[ObjectKey, frozenset[str]]:
        found: dict[ObjectKey, frozenset[str]] = {}
        for live in self._live.values():
            if not live.is_over and any(one.latest is not None for one in live.containers.values()):
                for key in claims_of(live.pod):
                    found[key] = found.get(key, frozenset()) | {live.uid}
        return found

    # --- ending ---

    def look_for_ends(self, live: LivePod) -> None:
        """Takes note of every run of a pod that has ended; what fails here fails the look, which comes again."""
        for container in live.containers.values():
            run, latest = container.run, container.latest
            if run is not None and latest is not None and not run.is_running():
                self._ended(live, container, run, latest.number, is_news=True)

    def _ended(self, live: LivePod, container: LiveContainer, run: Run, number: int, *, is_news: bool) -> None:
        watch = self._watches.pop(run.folder, None)
        if watch is not None:
            watch.close()
        self._watchdog.forget(run)
        refusal = take_back(run)
        if refusal is not None:
            container.taken_back()
            self._logs.end(live.pod, container.spec, number)
            self._refused(live, container, refusal)
            return
        sight = how_it_ended(run, number, container.spec, self._logs.of(live.pod, container.spec, number))
        container.ended(sight)
        self._logs.end(live.pod, container.spec, number)
        if is_news:
            self._tell_end(live, sight, str(container.spec["name"]))

    def _tell_end(self, live: LivePod, sight: RunSight, name: str) -> None:
        if sight.reason == START_ERROR:
            self.events.warn(live, "Failed", f"{name}: {sight.message}")
        elif sight.exit_code:
            said = f"Container {name} ended with {sight.exit_code} ({sight.reason}) {sight.message}"
            self.events.warn(live, "BackOff" if sight.number else "Ended", said.strip())

    def stop(self, live: LivePod, order: Stop) -> None:
        """Begins to end a run, or shortens an end that is under way."""
        container = live.containers[order.container]
        if container.run is None:
            return
        if container.stopping is not None:
            container.stopping.shorten(order.grace)
            return
        self.events.tell(live, "Killing", f"Stopping container {order.container}: {order.why}")
        signal_number = stop_signal_of(container.spec)
        hook = self._beside.before_stop(live, container, container.run)
        container.stopping = Stopping(container.run, self._clock, order.grace, hook, signal_number)

    def stop_all(self, live: LivePod, grace: float) -> bool:
        """Ends every run of a pod; tells whether there is any left."""
        running = [name for name, one in live.containers.items() if one.run is not None]
        for name in running:
            self.stop(live, Stop(name, grace, "the pod is gone"))
        return bool(running)

    def clear(self, uid: str) -> None:
        """Removes everything of a pod from this machine but its logs; raises RetryError while something of it runs."""
        self._live.pop(uid, None)
        self._outfitter.forget(uid)
        self.records.clear(uid)

    def finished(self, live: LivePod) -> None:
        """Notes that the end of a pod was told: from now on its logs grow old."""
        self._logs.finish(live.pod)

    async def keep_house(self, existing: Callable[[], frozenset[str]]) -> None:
        """Removes logs that are too old or too many, until cancelled."""
        await self._logs.keep_house(existing)


def _refuse_unknown_checks(container: Object) -> None:
    unknown = unknown_checks(container)
    if unknown:
        raise StartRefusedError("CreateContainerConfigError", "; ".join(unknown))
