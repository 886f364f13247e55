"""The only file that chooses adapters, and the door through which surfaces reach the embedded engine.

Imports of what only one use case needs stand inside it: `corral up` must not pay for SQLite, nor `status` for the
checks of `doctor`.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from corral.engine.doctor.finding import Finding
from corral.engine.overview import Overview, look, objects_in
from corral.engine.supervisor import lifecycle
from corral.engine.supervisor.home import Home, default_home
from corral.engine.supervisor.plan import LISTEN_FD, ChildSpec, Plan
from corral.engine.supervisor.readiness import wait_ready
from corral.engine.supervisor.unusable_home import examine, refusals_told
from corral.errors import CorralError, PermanentError

if TYPE_CHECKING:
    from corral.adapters.kubernetes.access import Access
    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.adapters.kubernetes.context_choice import Target
    from corral.adapters.kubernetes.kubeconfig import Kubeconfig
    from corral.control.desk.session import Session
    from corral.control.leadership import Leadership
    from corral.control.runtime import Runtime
    from corral.control.training.orders import Orders
    from corral.engine.node.images.orders import ImageOrders
    from corral.kinds.objects import Object
    from corral.ports.kept_logs import KeptLog

__all__ = [
    "Finding",
    "NodeFlags",
    "OperatorFlags",
    "Overview",
    "Up",
    "diagnose",
    "embedded_access",
    "embedded_overview",
    "image_orders",
    "install",
    "install_manifests",
    "kubeconfig_path",
    "open_session",
    "refuse_missing_kubeconfig",
    "run_node",
    "run_operator",
    "salvage_embedded",
    "start_embedded",
    "stop_embedded",
]

READY_SECONDS = 30.0
DOWN_GRACE_SECONDS = 10.0
"""How long containers may take to end when everything is stopped."""


class OperatorFlags(NamedTuple):
    """What the command line of `corral operator` says."""

    kubeconfig: str = ""
    context: str = ""
    namespace: str = ""
    kinds: tuple[str, ...] = ()
    gang_scheduler_name: str = ""
    metrics_bind_address: str = ":8080"
    health_probe_bind_address: str = ":8081"
    leader_elect: bool = True
    pytorch_init_container_image: str = ""
    pytorch_init_container_max_tries: int = 100
    mpi_kubectl_delivery_image: str = "mpioperator/kubectl-delivery:latest"
    stale_after: float = 90.0
    lost_node_grace: float = 60.0
    log_format: str = "text"


class NodeFlags(NamedTuple):
    """What the command line of `corral node` says."""

    kubeconfig: str = ""
    context: str = ""
    name: str = ""
    folder: str = ""
    client_ca_file: str = ""


class Up(NamedTuple):
    """The outcome of `start_embedded`; `notes` say in one sentence each what this installation does not run."""

    address: str
    kubeconfig: str
    processes: tuple[tuple[str, int], ...]
    was_running: bool
    seconds: float
    notes: tuple[str, ...]


def start_embedded(
    *, api_only: bool = False, no_node: bool = False, fake_nodes: Sequence[str] = (), port: int | None = None
) -> Up:
    """Makes the embedded cluster run and returns when its API answers."""
    began = time.perf_counter()
    home = default_home()
    plan, notes = embedded_plan(home, api_only=api_only, no_node=no_node, fake_nodes=fake_nodes)
    examine(home)
    with refusals_told(home):
        started = lifecycle.start(home, plan, port)
        try:
            wait_ready(home, started.port, READY_SECONDS)
        except PermanentError as error:
            raise _with_what_became_of_it(error, home, started.was_running) from error
        seconds = time.perf_counter() - began
        lines = tuple((line.name, line.pid) for line in look(home).processes)
    return Up(f"http://127.0.0.1:{started.port}", home.kubeconfig, lines, started.was_running, seconds, notes)


def _with_what_became_of_it(error: PermanentError, home: Home, was_running: bool) -> PermanentError:
    """Stops what a start in vain has started, and says so; what ran before it goes on."""
    if was_running:
        fate = "the other processes go on, `corral down` stops them"
    else:
        lifecycle.stop(home)
        fate = "everything was stopped again; after a repair, run `corral up`"
    return PermanentError(error.code, error.message, hint=f"{error.hint}; {fate}")


def embedded_plan(
    home: Home, *, api_only: bool, no_node: bool, fake_nodes: Sequence[str] = ()
) -> tuple[Plan, tuple[str, ...]]:
    """Returns the processes to run, and notes on those that this release does not have."""
    fakes = _fake_nodes_words(fake_nodes, api_only=api_only)
    python = (sys.executable, "-P", "-m")
    server = "corral.engine.apiserver"
    plan = [
        ChildSpec(
            "api",
            (*python, server, "--data", home.state, "--listen-fd", LISTEN_FD, "--token-file", home.token_file),
        )
    ]
    if api_only:
        return tuple(plan), ("--no-node adds nothing: --api-only leaves the node out as well",) if no_node else ()
    where = ("--kubeconfig", home.kubeconfig, "--lock-file", home.controllers_lock_file)
    plan.append(ChildSpec("controllers", (*python, "corral.engine.controllers", *where, *fakes)))
    if fakes:
        plan.append(
            ChildSpec("fake-nodes", (*python, "corral.engine.fake_nodes", "--kubeconfig", home.kubeconfig, *fakes))
        )
    if not no_node:
        node = ("--kubeconfig", home.kubeconfig, "--folder", home.node, "--token-file", home.token_file)
        plan.append(ChildSpec("node", (*python, "corral.engine.node", *node)))
    return tuple(plan), ()


def _fake_nodes_words(fake_nodes: Sequence[str], *, api_only: bool) -> tuple[str, ...]:
    """Returns the words for the processes that know of fake nodes; the controllers do away with all others."""
    if not fake_nodes:
        return ()
    from corral.engine.fake_nodes.fleet import fleet_of

    fleet_of(fake_nodes)
    if api_only:
        message = "--fake-nodes does not go with --api-only: nothing would bind pods to them"
        raise PermanentError("bad-fake-nodes", message, hint="leave one of the two out")
    return tuple(word for group in fake_nodes for word in ("--fake-nodes", group))


def stop_embedded(on_wait: Callable[[str], None] | None = None) -> list[str]:
    """Ends the embedded cluster and returns the names of what ran; `on_wait` hears of a wait that takes longer."""
    home = default_home()
    examine(home)
    with refusals_told(home):
        ended = lifecycle.stop(home, on_wait)
        return [*ended, *_end_containers(home, on_wait)]


def _end_containers(home: Home, on_wait: Callable[[str], None] | None) -> list[str]:
    """Ends what the node of a home has started, which goes on without it, and says how much that was."""
    if not os.path.isdir(home.node):
        return []
    from corral.engine.node.containers.clearing import end_all, runs_of
    from corral.engine.node.folder import NodeFolder

    folder = NodeFolder(home.node)
    running = [run for run in runs_of(folder) if run.is_running()]
    if running and on_wait:
        on_wait(f"ending {len(running)} containers (at most {DOWN_GRACE_SECONDS:g} s)")
    end_all(folder, DOWN_GRACE_SECONDS)
    return [f"{len(running)} containers"] if running else []


def embedded_overview() -> Overview:
    """Returns what runs and how it is, and what the API says about itself."""
    home = default_home()
    examine(home)
    with refusals_told(home):
        overview, token = look(home), home.token()
    if not overview.is_running or not overview.may_answer:
        return overview
    from corral.adapters.kubernetes.access import Access, Timeouts
    from corral.adapters.kubernetes.retrying import NEVER
    from corral.adapters.kubernetes.sync_client import SyncClient
    from corral.ports.refusals import UnreachableError

    # A status must not hang on a sick server: one try, two seconds.
    access, limits = Access(overview.address, token=token), Timeouts(connect=2.0, answer=2.0)
    with SyncClient(access, policy=NEVER, timeouts=limits) as client:
        try:
            version = json.loads(client.raw("GET", "/version"))["gitVersion"]
            return overview.with_api(version, objects_in(client.raw("GET", "/metrics").decode()))
        except CorralError as error:
            kind = "no answer" if isinstance(error, UnreachableError) else "answered with an error"
            return overview.without_api(f"{kind}: {error.message}")


def embedded_access() -> "Access":
    """Returns how a client reaches the embedded API; it must have been started once."""
    from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig

    refuse_missing_kubeconfig()
    return access_of(read_kubeconfig([kubeconfig_path()]), "corral", os.environ)


def kubeconfig_path() -> str:
    """Returns the path of the embedded cluster's kubeconfig, whether it is there or not."""
    return default_home().kubeconfig


def refuse_missing_kubeconfig() -> None:
    """Raises when the kubeconfig is not there yet, or no more."""
    home = default_home()
    examine(home)
    if not os.path.exists(home.kubeconfig):
        raise PermanentError("not-set-up", f"there is no kubeconfig in {home.root}", hint="run `corral up` first")


def diagnose() -> list[Finding]:
    """Examines the machine and the embedded cluster."""
    import apsw

    from corral.engine.doctor import household, machine, sqlite_engine, state, tracebacks
    from corral.engine.doctor.examination import examined

    home = default_home()
    checks: dict[str, Callable[[], Finding]] = {
        "python": machine.check_python,
        "platform": machine.check_platform,
        "sqlite": lambda: sqlite_engine.check_sqlite(apsw.sqlite_lib_version(), "in apsw"),
        "disk": lambda: machine.check_disk(home.root),
        "clock": lambda: machine.check_clock(household.newest_time(home)),
        "home": lambda: household.check_permissions(home),
        "processes": lambda: household.check_processes(home),
        "port": lambda: household.check_port(home),
        "kubeconfig": lambda: household.check_kubeconfig(home),
        "state": lambda: state.check_state(home.state),
        "log": lambda: tracebacks.check_controllers_log(home),
    }
    return [examined(subject, check) for subject, check in checks.items()]


def salvage_embedded() -> list[Finding]:
    """Rebuilds a damaged state file; the embedded cluster must be stopped."""
    from corral.engine.doctor import state

    home = default_home()
    examine(home)
    with refusals_told(home):
        return state.salvage_state(home.state)


def run_operator(flags: OperatorFlags) -> None:
    """Looks after training jobs until SIGTERM or SIGINT."""
    import asyncio

    from corral.adapters.system.log_lines import begin_logging

    begin_logging("json" if flags.log_format == "json" else "text")
    asyncio.run(_operate(flags))


async def _operate(flags: OperatorFlags) -> None:
    import asyncio

    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.adapters.kubernetes.pod_logs import PodLogs
    from corral.adapters.probes.server import ProbeServer, health_page, metrics_page
    from corral.adapters.ssh_keys.key_pairs import fill_ssh_keys
    from corral.adapters.system.clock import SystemClock
    from corral.adapters.system.signals import until_stopped
    from corral.control.training.operator import Means
    from corral.control.training.orders import refuse_missing_gang_kind
    from corral.control.training.process import OperatorProcess
    from corral.control.training.telemetry import Telemetry
    from corral.reconcile.training.mpi_v2.surroundings import SSH_KEY_PAIR

    access, orders = _access_from_outside(flags.kubeconfig, flags.context), _operator_orders(flags)
    async with AsyncClient(access, manager="corral-operator") as client:
        await refuse_missing_gang_kind(client, orders)
        process = OperatorProcess(
            lambda: _operator_runtime(flags, client),
            orders,
            Telemetry(SystemClock()),
            Means({SSH_KEY_PAIR: fill_ssh_keys}, PodLogs(client)),
            leadership=_operator_leadership(flags, client) if flags.leader_elect else None,
        )
        health = {"/healthz": health_page(process.liveness), "/readyz": health_page(process.readiness)}
        places = [
            (flags.health_probe_bind_address, health),
            (flags.metrics_bind_address, {"/metrics": metrics_page(process.metrics)}),
        ]
        async with ProbeServer(places):
            note = asyncio.create_task(_note_embedded(client), name="note")
            try:
                await until_stopped(process.run())
            finally:
                note.cancel()


async def _note_embedded(client: "AsyncClient") -> None:
    """Warns of two operators on the same jobs; a server that does not answer is told of elsewhere."""
    import logging

    try:
        is_embedded = await _is_embedded(client)
    except CorralError:
        return
    if is_embedded:
        hint = "this operator is needed only beside `corral up --api-only`"
        logging.getLogger("corral.operator").warning(
            "this is the embedded API, where `corral up` runs an operator of its own: two work against each other",
            extra={"hint": hint},
        )


def run_node(flags: NodeFlags) -> None:
    """Keeps the pods of this machine for a cluster until SIGTERM or SIGINT."""
    import asyncio

    from corral.adapters.system.log_lines import begin_logging
    from corral.engine.node.process import NodeOrders
    from corral.engine.node.process import run as keep_pods

    begin_logging("text")
    access = _access_from_outside(flags.kubeconfig, flags.context)
    folder = flags.folder or default_home().node
    asyncio.run(keep_pods(access, NodeOrders(folder, flags.name, client_ca_file=flags.client_ca_file)))


def _access_from_outside(kubeconfig: str, context: str) -> "Access":
    """Returns the API to work on: as asked for by flags, else the cluster around this pod, else the current context."""
    from corral.adapters.kubernetes.in_cluster import in_cluster_access, is_in_cluster
    from corral.adapters.kubernetes.kubeconfig import access_of, kubeconfig_paths, read_kubeconfig

    if not (kubeconfig or context) and is_in_cluster(os.environ):
        return in_cluster_access(os.environ)
    paths = [kubeconfig] if kubeconfig else kubeconfig_paths(os.environ)
    config = read_kubeconfig(paths, must_exist=bool(kubeconfig))
    context = context or config.current
    if not context:
        hint = "run it in a pod, or give --kubeconfig; for the embedded API: --kubeconfig $(corral kubeconfig)"
        raise PermanentError("unknown-context", "no kubeconfig names a current context", hint=hint)
    return access_of(config, context, os.environ)


def _operator_orders(flags: OperatorFlags) -> "Orders":
    from corral.control.training.orders import Orders, chosen_kinds
    from corral.reconcile.frameworks.addressing import ClusterAddressing
    from corral.reconcile.frameworks.framework import Setting
    from corral.reconcile.training.gangs import gangs_for
    from corral.reconcile.training.world import Settings

    setting = Setting(
        flags.pytorch_init_container_image,
        flags.pytorch_init_container_max_tries,
        flags.mpi_kubectl_delivery_image,
    )
    settings = Settings(
        addressing=ClusterAddressing(os.environ.get("CUSTOM_CLUSTER_DOMAIN", "")),
        gangs=gangs_for(flags.gang_scheduler_name),
        setting=setting,
        node_grace=flags.lost_node_grace,
    )
    return Orders(chosen_kinds(flags.kinds), flags.namespace, settings)


def _operator_runtime(flags: OperatorFlags, client: "AsyncClient") -> "Runtime":
    from corral.adapters.system.clock import SystemClock
    from corral.adapters.system.randomness import SystemRandomness
    from corral.control.object_cache import CacheSettings
    from corral.control.runtime import runtime_of
    from corral.control.training.operator import component_of

    # A node must not be given up while its last news may be older than that.
    quiet = min(40.0, flags.stale_after * 0.45, flags.lost_node_grace * 0.75)
    settings = CacheSettings(quiet_limit=quiet, stale_after=flags.stale_after)
    return runtime_of(
        client, clock=SystemClock(), randomness=SystemRandomness(), component=component_of, settings=settings
    )


def _operator_leadership(flags: OperatorFlags, client: "AsyncClient") -> "Leadership":
    import socket

    from corral.adapters.system.clock import SystemClock
    from corral.adapters.system.randomness import SystemRandomness
    from corral.control.leadership import Leadership
    from corral.kinds.references import ObjectKey

    chance = SystemRandomness()
    in_pod = not client.access.context
    lease = ObjectKey(flags.namespace or (client.access.namespace if in_pod else "kube-system"), "corral-operator")
    identity = f"{socket.gethostname()}_{os.getpid()}_{chance.token()}"
    return Leadership(client, lease, identity, clock=SystemClock(), randomness=chance)


def install_manifests() -> "list[Object]":
    """Returns everything that `corral install` puts on a cluster, in order."""
    from corral.kinds.training.definitions import definitions
    from corral.kinds.training.policies import policies

    return [*definitions(), *policies()]


def install(
    kubeconfig: str,
    context: str,
    *,
    on_target: Callable[[str], None],
    on_done: Callable[[str, str, str], None],
    manifests: "Sequence[Object]",
) -> None:
    """Applies the manifests to the chosen API.

    `on_target` is told which one before anything is written, and `on_done` of each object that is as it should be:
    what was changed, its name, and a note.
    """
    import asyncio

    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.adapters.system.clock import SystemClock
    from corral.control.installation import Optional
    from corral.control.installation import install as installing

    access, target = _chosen_access(kubeconfig, context)
    on_target(target)

    async def apply() -> None:
        async with AsyncClient(access, manager="corral-install") as client:
            reason = _BUILT_IN if await _is_embedded(client) else _TOO_OLD
            optional = Optional(_OPTIONAL_KINDS, reason)
            await installing(
                client, client, SystemClock(), manifests, optional=optional, on_done=lambda one: on_done(*one)
            )

    asyncio.run(apply())


_OPTIONAL_KINDS = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
_BUILT_IN = "this server has these rules built in"
_TOO_OLD = (
    "this server does not know the kinds: wrong jobs are let in, and fail with the reason; Kubernetes 1.30 has them"
)


async def _is_embedded(client: "AsyncClient") -> bool:
    """Whether the API is the one that `corral up` runs."""
    return "+corral" in json.loads(await client.raw("GET", "/version"))["gitVersion"]


def _chosen_access(kubeconfig: str, flag: str) -> "tuple[Access, str]":
    """Returns the API that a command talks to, and its name with who chose it."""
    return _access_of_target(kubeconfig, _chosen_target(kubeconfig, flag))


def _chosen_target(kubeconfig: str, flag: str) -> "Target":
    from corral.adapters.kubernetes.context_choice import Choices, choose_context
    from corral.adapters.kubernetes.in_cluster import is_in_cluster

    config = _kubeconfig(kubeconfig)
    variable = "" if kubeconfig else os.environ.get("CORRAL_CONTEXT", "")
    return choose_context(
        Choices(flag, variable, "", config.current, tuple(config.contexts), is_in_cluster(os.environ))
    )


def _kubeconfig(path: str) -> "Kubeconfig":
    from corral.adapters.kubernetes.kubeconfig import kubeconfig_paths, read_kubeconfig

    return read_kubeconfig([path] if path else kubeconfig_paths(os.environ), must_exist=bool(path))


def _access_of_target(kubeconfig: str, target: "Target") -> "tuple[Access, str]":
    from corral.adapters.kubernetes.in_cluster import in_cluster_access
    from corral.adapters.kubernetes.kubeconfig import access_of

    if target.where == "embedded":
        access = embedded_access()
    elif target.where == "in-cluster":
        access = in_cluster_access(os.environ)
    else:
        access = access_of(_kubeconfig(kubeconfig), target.context, os.environ)
    name = target.context or "this cluster"
    return access, f"{name} ({access.server}, chosen by {target.chosen_by})"


def open_session(context: str = "", namespace: str = "", *, on_start: Callable[[str], None]) -> "Session":
    """Returns the API that a command talks to; the embedded one is started when it does not run.

    `on_start` is told what was started, so that nobody wonders later where it came from.
    """
    from corral.adapters.kubernetes.retrying import PATIENT, RetryPolicy
    from corral.adapters.kubernetes.sync_client import SyncClient
    from corral.control.desk.session import Session
    from corral.ports.kept_logs import nothing_kept

    target = _chosen_target("", context)
    if target.where == "embedded":
        _start_if_needed(on_start)
    access, name = _access_of_target("", target)
    # A killed API server of ours is back within a second or two; another one is not ours to wait for.
    policy = RetryPolicy(attempts=10) if target.where == "embedded" else PATIENT

    def open_store() -> SyncClient:
        return SyncClient(access, policy=policy)

    kept = _kept_logs if target.where == "embedded" else nothing_kept
    return Session(open_store(), namespace or access.namespace, name, open_store, kept)


def _kept_logs(namespace: str, name: str) -> "list[KeptLog]":
    """Returns the logs that the process node of this machine has kept of a job or a pod."""
    from functools import partial

    from corral.engine.node.folder import NodeFolder
    from corral.engine.node.logs.archive import kept_runs
    from corral.engine.node.logs.kept_text import read_kept
    from corral.ports.kept_logs import KeptLog

    found = kept_runs(NodeFolder(default_home().node).logs, namespace, name)
    return [
        KeptLog(
            one.pod.name,
            one.pod.uid,
            one.pod.labels,
            one.container,
            one.log.run,
            one.last_said,
            partial(read_kept, one.log),
        )
        for one in found
    ]


def _start_if_needed(on_start: Callable[[str], None]) -> None:
    """Starts the embedded cluster; one that runs is left as it is, whatever it was started with."""
    home = default_home()
    examine(home)
    with refusals_told(home):
        is_running = lifecycle.observe(home).is_running
    if not is_running:
        up = start_embedded()
        on_start(f"started Corral on this machine in {up.seconds * 1000:.0f} ms ({up.address}); `corral down` stops it")
        for note in up.notes:
            on_start(f"note: {note}")


def image_orders() -> "ImageOrders":
    """Returns the uses of `corral image`: what image names mean on this machine."""
    from corral.engine.node.folder import NodeFolder
    from corral.engine.node.images.orders import ImageOrders
    from corral.engine.node.images.register import ImageRegister

    home = default_home()
    examine(home)
    return ImageOrders(ImageRegister(NodeFolder(os.path.join(home.root, "node")).images))
