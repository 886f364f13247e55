"""The containers of the pods of this node: started, found again, watched, and ended.

This is where orders become processes. Whatever happens to a run is told to the loop by its pod's name, which then looks.
"""

import asyncio
import logging
import os
import shutil
from collections.abc import Callable, Mapping

import msgspec

from corral.control.runtime import Runtime
from corral.engine.node.addressing.ledger import RENEWED
from corral.engine.node.addressing.loopback import address_of
from corral.engine.node.containers.clearing import end_pod
from corral.engine.node.containers.failed_starts import START_ERROR, start_or_fail
from corral.engine.node.containers.launch import WAITING, StartRefusedError
from corral.engine.node.containers.memory_watchdog import MemoryWatchdog
from corral.engine.node.containers.record import Run, adopt, settled_path
from corral.engine.node.containers.watching import EndWatch
from corral.engine.node.folder import NodeFolder
from corral.engine.node.membership.node_object import HOST_IP
from corral.engine.node.pods.checks import Answer, Subject, check, unknown_checks
from corral.engine.node.pods.evidence import how_it_ended
from corral.engine.node.pods.inside import InsideRun
from corral.engine.node.pods.life import Start, Stop
from corral.engine.node.pods.live_pod import LiveContainer, LivePod
from corral.engine.node.pods.outfit import Neighbours, Outfitter
from corral.engine.node.pods.pod_logs import PodLogs
from corral.engine.node.pods.ports_in_use import foreign_ports, notes_on_taken_ports, refuse_taken_ports
from corral.engine.node.pods.prober import Prober
from corral.engine.node.pods.probing import ProbeTally
from corral.engine.node.pods.refusals import refused_by_api, refused_by_machine
from corral.engine.node.pods.sight import RunSight
from corral.engine.node.pods.statuses import Whereabouts
from corral.engine.node.pods.stopping import Hook, Stopping, stop_signal_of
from corral.engine.node.volumes.removal import remove
from corral.engine.supervisor.home import note
from corral.errors import PermanentError
from corral.kinds.objects import Object, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD
from corral.reconcile.moments import seconds_of
from corral.reconcile.plan import EmitEvent

KEPT_RUNS = 2
"""Runs of a container whose records are kept: the latest, and the one before."""
RENEW_SECONDS = 60.0
"""How often files made of ConfigMaps, Secrets and fields are brought up to date, as kubelet does."""
_HOOK_SECONDS = 600.0

_log = logging.getLogger("corral.engine.node.pods")


class ContainersOfPod:
    """Carries out what was decided about containers."""

    def __init__(self, runtime: Runtime, folder: NodeFolder, outfitter: Outfitter, logs: PodLogs) -> None:
        self.changed: Callable[[ObjectKey], None] = lambda key: None
        """Is told of the pod about whose containers there is news."""
        self._runtime = runtime
        self._folder = folder
        self._outfitter = outfitter
        self._logs = logs
        self._live: dict[str, LivePod] = {}
        self._watchdog = MemoryWatchdog(lambda run: _log.info("memory limit enforced", extra={"run": run.owner}))
        self._watches: dict[str, EndWatch] = {}

    # --- finding again ---

    def kept_uids(self) -> list[str]:
        """Returns the uids of all pods that the disk knows."""
        return sorted(os.listdir(self._folder.pods)) if os.path.isdir(self._folder.pods) else []

    def found(self, pod: Object, now: float) -> LivePod:
        """Returns a pod with everything that is recorded of it."""
        taken = seconds_of((pod.get("status") or {}).get("startTime")) or now
        live = self._live[uid_of(pod)] = LivePod(pod, taken)
        for name, container in live.containers.items():
            for number in self._numbers(live.uid, name)[-KEPT_RUNS:]:
                run = adopt(self._folder.run(live.uid, name, number))
                if run is not None:
                    self._take_up(live, container, run, number)
        return live

    def _note(self, pod: Object) -> None:
        folder = self._folder.pod(uid_of(pod))
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, "pod.json")
        if not os.path.exists(path):
            note(path, msgspec.json.encode(_kept(pod)).decode())

    def _numbers(self, uid: str, name: str) -> list[int]:
        folder = self._folder.container(uid, name)
        return sorted(int(one) for one in os.listdir(folder) if one.isdigit()) if os.path.isdir(folder) else []

    # --- starting ---

    async def start(self, live: LivePod, order: Start) -> None:
        """Starts a run, or notes why that is not possible now."""
        container = live.containers[order.container]
        try:
            _refuse_unknown_checks(container.spec)
            refuse_taken_ports(live.pod, container.spec)
            self._note(live.pod)
            self._logs.take(live.pod)
            outfit = await self._outfitter.outfit(live.pod, container.spec, order.number, self._neighbours)
            await self._give_up_foreign_ports(live, outfit.own_ports)
            taken_ports = list(notes_on_taken_ports(live.pod, container.spec, outfit.own_ports))
            run = start_or_fail(outfit.launch)
        except StartRefusedError as refusal:
            self._refused(live, container, refusal)
            return
        except OSError as error:
            self._refused(live, container, refused_by_machine(error, self._folder.root))
            return
        except PermanentError as error:
            self._refused(live, container, refused_by_api(error))
            return
        for left_out in outfit.notes:
            self.tell(live, "InvalidEnvironmentVariableNames", left_out, is_warning=True)
        for taken in taken_ports:
            self.tell(live, "PortInUse", taken, is_warning=True)
        if run.holder.pid:
            self.tell(live, "Started", f"Started container {order.container} as process {run.holder.pid}")
        self._take_up(live, container, run, order.number, is_new=True)
        self._drop_old_runs(live.uid, order)

    async def _give_up_foreign_ports(self, live: LivePod, own_ports: Mapping[int, int]) -> None:
        """Refuses a start whose loopback ports others have; the next try gets other ports."""
        for port in foreign_ports(own_ports):
            told = await self._outfitter.give_up_port(live.pod, port)
            if told:
                self.tell(live, RENEWED, told, is_warning=True)
                raise StartRefusedError(WAITING, told)

    def _refused(self, live: LivePod, container: LiveContainer, refusal: StartRefusedError) -> None:
        """Notes why a container cannot be started now, and tells it when that is news."""
        is_news = container.refused(refusal.reason, refusal.message, self._runtime.clock.now())
        if is_news and refusal.reason != WAITING:
            reason = refusal.reason if refusal.reason == "FailedMount" else "Failed"
            self.tell(live, reason, f"{container.spec['name']}: {refusal.message}", is_warning=True)

    def _take_up(self, live: LivePod, container: LiveContainer, run: Run, number: int, *, is_new: bool = False) -> None:
        """Takes a run into care, running or ended."""
        container.started(run, RunSight(number, run.started_at))
        if not run.is_running():
            self._ended(live, container, run, number, is_news=is_new)
            return
        self._logs.begin(live.pod, container.spec, number)
        self._watchdog.watch(run)
        self._watches[run.folder] = EndWatch(run.holder, lambda: self.changed(live.key))
        self._begin_beside(live, container, run, is_new=is_new)

    def _begin_beside(self, live: LivePod, container: LiveContainer, run: Run, *, is_new: bool) -> None:
        """Begins what accompanies a run: probes, and the hook after a start."""
        if container.prober is None:
            container.prober = Prober(
                self._subject(live.pod, container, run),
                self._runtime.clock,
                lambda kind, tally: self._probed(live, container, kind, tally),
            )
        hook = (container.spec.get("lifecycle") or {}).get("postStart")
        if is_new and hook:
            task = self._after_start(live, container, run, hook)
            container.hook = asyncio.get_running_loop().create_task(task, name="postStart")

    def _subject(self, pod: Object, container: LiveContainer, run: Run) -> Subject:
        told = dict(run.ports)
        return Subject(container.spec, InsideRun(run), self.whereabouts(pod).pod_ip, lambda port: told.get(port, port))

    async def _after_start(self, live: LivePod, container: LiveContainer, run: Run, hook: Object) -> None:
        answer: Answer = await check(hook, self._subject(live.pod, container, run), _HOOK_SECONDS)
        container.hook = None
        if not answer.is_good:
            container.hook_failure = f"the hook after the start failed: {answer.said}"
            self.tell(live, "FailedPostStartHook", container.hook_failure, is_warning=True)
        self.changed(live.key)

    def _probed(self, live: LivePod, container: LiveContainer, kind: str, tally: ProbeTally) -> None:
        if not tally.is_good:
            word = kind.removesuffix("Probe").capitalize()
            self.tell(live, "Unhealthy", f"{word} probe failed: {tally.said}", is_warning=True)
        self.changed(live.key)

    async def renew(self, live: LivePod) -> float | None:
        """Brings the files of a pod up to date when that is due; returns when it is due next, None when never."""
        if live.is_over or not self._outfitter.is_renewable(live.pod):
            return None
        now = self._runtime.clock.now()
        if live.renewed_at and now - live.renewed_at >= RENEW_SECONDS:
            try:
                await self._outfitter.renew(live.pod)
            except StartRefusedError as refusal:
                self.tell(live, "FailedMount", refusal.message, is_warning=True)
            live.renewed_at = now
        live.renewed_at = live.renewed_at or now
        return live.renewed_at + RENEW_SECONDS

    def _neighbours(self) -> Neighbours:
        """Returns what is in use now; a pod that is over holds nothing any more.

        Pods that are on disk and were not looked at yet, after a restart of the node, hold what they had.
        """
        running = [one for live in self._live.values() for one in live.containers.values() if one.run is not None]
        over = {live.uid for live in self._live.values() if live.is_over}
        uids = frozenset(self.kept_uids()) - over
        return Neighbours(uids, tuple(one.run.cpus for one in running if one.run is not None and one.run.cpus))

    def _drop_old_runs(self, uid: str, order: Start) -> None:
        for number in self._numbers(uid, order.container)[:-KEPT_RUNS]:
            folder = self._folder.run(uid, order.container, number)
            # What of it still runs is found by its record only.
            if os.path.exists(settled_path(folder)):
                shutil.rmtree(folder)

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
        sight = how_it_ended(run, number, container.spec, self._logs.of(live.pod, container.spec, number))
        container.ended(sight)
        self._logs.end(live.pod, container.spec, number)
        if is_news:
            self._tell_end(live, sight, str(container.spec["name"]))

    def _tell_end(self, live: LivePod, sight: RunSight, name: str) -> None:
        if sight.reason == START_ERROR:
            self.tell(live, "Failed", f"{name}: {sight.message}", is_warning=True)
        elif sight.exit_code:
            said = f"Container {name} ended with {sight.exit_code} ({sight.reason}) {sight.message}"
            self.tell(live, "BackOff" if sight.number else "Ended", said.strip(), is_warning=True)

    def stop(self, live: LivePod, order: Stop) -> None:
        """Begins to end a run, or shortens an end that is under way."""
        container = live.containers[order.container]
        if container.run is None:
            return
        if container.stopping is not None:
            container.stopping.shorten(order.grace)
            return
        self.tell(live, "Killing", f"Stopping container {order.container}: {order.why}")
        signal_number = stop_signal_of(container.spec)
        hook = self._before_stop(live, container, container.run)
        container.stopping = Stopping(container.run, self._runtime.clock, order.grace, hook, signal_number)

    def stop_all(self, live: LivePod, grace: float) -> bool:
        """Ends every run of a pod; tells whether there is any left."""
        running = [name for name, one in live.containers.items() if one.run is not None]
        for name in running:
            self.stop(live, Stop(name, grace, "the pod is gone"))
        return bool(running)

    def _before_stop(self, live: LivePod, container: LiveContainer, run: Run) -> Hook | None:
        hook = (container.spec.get("lifecycle") or {}).get("preStop")
        if not hook:
            return None

        async def before(seconds: float) -> None:
            answer = await check(hook, self._subject(live.pod, container, run), seconds)
            if not answer.is_good:
                self.tell(live, "FailedPreStopHook", answer.said, is_warning=True)

        return before

    async def clear(self, uid: str) -> None:
        """Removes everything of a pod from this machine but its logs; what still runs of it is ended first.

        Raises RetryError, and removes nothing, while a process is left that cannot be killed.
        """
        self._live.pop(uid, None)
        # Before anything is removed: without its record, nobody would know a process that cannot be killed now.
        end_pod(self._folder, uid, 0.0).refuse_survivors()
        remove(self._folder, uid)
        shutil.rmtree(self._folder.pod(uid), ignore_errors=True)

    def finished(self, live: LivePod) -> None:
        """Notes that the end of a pod was told: from now on its logs grow old."""
        self._logs.finish(live.pod)

    async def keep_house(self, existing: Callable[[], frozenset[str]]) -> None:
        """Removes logs that are too old or too many, until cancelled."""
        await self._logs.keep_house(existing)

    # --- telling ---

    def whereabouts(self, pod: Object) -> Whereabouts:
        """Returns where a pod is reached."""
        if pod["spec"].get("hostNetwork"):
            return Whereabouts(HOST_IP, HOST_IP)
        return Whereabouts(address_of(pod["metadata"]["namespace"], pod["metadata"]["name"]), HOST_IP)

    def tell(self, live: LivePod, reason: str, message: str, *, is_warning: bool = False) -> None:
        """Makes an event about a pod."""
        kind = "Warning" if is_warning else "Normal"
        self._runtime.events.emit(
            EmitEvent(POD, live.pod, reason, message, "Warning" if kind == "Warning" else "Normal")
        )


def _refuse_unknown_checks(container: Object) -> None:
    unknown = unknown_checks(container)
    if unknown:
        raise StartRefusedError("CreateContainerConfigError", "; ".join(unknown))


def _kept(pod: Object) -> Object:
    """Returns the part of a pod that programs look for on this machine: names, never values."""
    spec = pod["spec"]
    names = {kind: [{"name": one["name"]} for one in spec.get(kind) or []] for kind in ("initContainers", "containers")}
    kept = {field: spec[field] for field in ("hostname", "subdomain") if spec.get(field)}
    return {"metadata": pod["metadata"], "spec": {**kept, **names}}
