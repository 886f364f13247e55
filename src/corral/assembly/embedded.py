"""The embedded cluster of this machine: started, stopped and looked at."""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from corral.assembly.fake_fleet import FleetChoice
from corral.engine.overview import Overview, look, objects_in
from corral.engine.supervisor import lifecycle
from corral.engine.supervisor.home import Home, default_home
from corral.engine.supervisor.plan import LISTEN_FD, ChildSpec, Plan, read_plan
from corral.engine.supervisor.readiness import wait_ready
from corral.engine.supervisor.unusable_home import examine, refusals_told
from corral.errors import CorralError, PermanentError

READY_SECONDS = 30.0


DOWN_GRACE_SECONDS = 10.0
"""How long containers may take to end when everything is stopped."""


class Up(NamedTuple):
    """The outcome of `start_embedded`; `notes` say in one sentence each what this installation does not run."""

    address: str
    kubeconfig: str
    processes: tuple[tuple[str, int], ...]
    was_running: bool
    seconds: float
    notes: tuple[str, ...]


def start_embedded(
    *,
    api_only: bool = False,
    no_node: bool = False,
    fake_nodes: Sequence[str] = (),
    port: int | None = None,
    only_if_down: bool = False,
    on_wait: Callable[[str], None] | None = None,
) -> Up:
    """Makes the embedded cluster run and returns when its API answers; `on_wait` hears of a start that takes long.

    With `only_if_down`, one that somebody else has started meanwhile is left as it is.
    """
    began = time.perf_counter()
    home = default_home()
    fleet = FleetChoice(home, fake_nodes, api_only=api_only)
    notes: list[str] = []

    def plan() -> Plan:
        if only_if_down and lifecycle.observe(home).is_running:
            return read_plan(home)
        children, told = embedded_plan(home, api_only=api_only, no_node=no_node, fake_nodes=fleet.settle())
        notes.extend(told)
        return children

    examine(home)
    with refusals_told(home):
        started = lifecycle.start(home, plan, port)
        try:
            if on_wait is None:
                wait_ready(home, started.port, READY_SECONDS)
            else:
                _wait_telling(home, started.port, on_wait)
        except PermanentError as error:
            raise _with_what_became_of_it(error, home, started.was_running) from error
        notes += [*fleet.notes, *fleet.await_nodes(started.port, on_wait)]
        seconds = time.perf_counter() - began
        lines = tuple((line.name, line.pid) for line in look(home).processes)
    return Up(f"http://127.0.0.1:{started.port}", home.kubeconfig, lines, started.was_running, seconds, tuple(notes))


def _wait_telling(home: Home, port: int, on_wait: Callable[[str], None]) -> None:
    from corral.control.desk.patience.remarks import Patience

    patience = Patience(on_wait)
    text = f"the API of this machine is not ready yet (at most {READY_SECONDS:g} s)"
    wait_ready(home, port, READY_SECONDS, lambda: patience.remark(text))


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
    """Returns the processes to run, and notes on those that this release does not have.

    The controllers do away with all fake nodes but these.
    """
    fakes = tuple(word for group in fake_nodes for word in ("--fake-nodes", group))
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


def stop_embedded(on_wait: Callable[[str], None] | None = None) -> list[str]:
    """Ends the embedded cluster and returns the names of what ran; `on_wait` hears of a wait that takes longer."""
    home = default_home()
    examine(home)
    with refusals_told(home):
        return lifecycle.stop(home, on_wait, lambda: _end_containers(home, on_wait))


def _end_containers(home: Home, on_wait: Callable[[str], None] | None) -> list[str]:
    """Ends what the node of a home has started, which goes on without it, and says how much that was.

    No node works in the folder meanwhile: it would start again what is being ended here.
    """
    if not os.path.isdir(home.node):
        return []
    from corral.engine.node.containers.clearing import end_all, runs_of
    from corral.engine.node.folder import NodeFolder
    from corral.engine.node.possession import hold

    folder = NodeFolder(home.node)
    with hold(folder):
        running = [run for run in runs_of(folder) if run.is_running()]
        if running and on_wait:
            on_wait(
                f"ending {_containers(len(running))} (at most {DOWN_GRACE_SECONDS:g} s); their jobs go on at the next "
                "`corral up` where their restart policy says so, and have failed otherwise"
            )
        end_all(folder, DOWN_GRACE_SECONDS).refuse_survivors()
    return [_containers(len(running))] if running else []


def _containers(number: int) -> str:
    return f"{number} container{'' if number == 1 else 's'}"


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
