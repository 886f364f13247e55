"""The only file that chooses adapters, and the door through which surfaces reach the embedded engine.

Imports of what only one use case needs stand inside it: `corral up` must not pay for SQLite, nor `status` for the
checks of `doctor`.
"""

import json
import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from corral.engine.doctor.finding import Finding
from corral.engine.overview import Overview, look, objects_in
from corral.engine.supervisor import lifecycle
from corral.engine.supervisor.home import Home, default_home
from corral.engine.supervisor.plan import LISTEN_FD, ChildSpec, Plan
from corral.engine.supervisor.readiness import wait_ready
from corral.errors import CorralError, PermanentError

if TYPE_CHECKING:
    from corral.adapters.kubernetes.access import Access

__all__ = [
    "Finding",
    "Overview",
    "Up",
    "diagnose",
    "embedded_access",
    "embedded_overview",
    "kubeconfig_path",
    "salvage_embedded",
    "start_embedded",
    "stop_embedded",
]

READY_SECONDS = 30.0


class Up(NamedTuple):
    """The outcome of `start_embedded`; `notes` say in one sentence each what this installation does not run."""

    address: str
    kubeconfig: str
    processes: tuple[tuple[str, int], ...]
    was_running: bool
    seconds: float
    notes: tuple[str, ...]


def start_embedded(*, api_only: bool = False, no_node: bool = False, port: int | None = None) -> Up:
    """Makes the embedded cluster run and returns when its API answers."""
    began = time.perf_counter()
    home = default_home()
    plan, notes = embedded_plan(home, api_only=api_only, no_node=no_node)
    started = lifecycle.start(home, plan, port)
    wait_ready(home, started.port, READY_SECONDS)
    seconds = time.perf_counter() - began
    lines = tuple((line.name, line.pid) for line in look(home).processes)
    return Up(f"http://127.0.0.1:{started.port}", home.kubeconfig, lines, started.was_running, seconds, notes)


def embedded_plan(home: Home, *, api_only: bool, no_node: bool) -> tuple[Plan, tuple[str, ...]]:
    """Returns the processes to run, and notes on those that this release does not have."""
    python = (sys.executable, "-P", "-m")
    server = "corral.engine.apiserver"
    plan = [
        ChildSpec(
            "api",
            (*python, server, "--data", home.state, "--listen-fd", LISTEN_FD, "--token-file", home.token_file),
        )
    ]
    if api_only:
        return tuple(plan), ()
    where = ("--kubeconfig", home.kubeconfig, "--lock-file", home.controllers_lock_file)
    plan.append(ChildSpec("controllers", (*python, "corral.engine.controllers", *where)))
    return tuple(plan), () if no_node else ("this release has no process node yet: pods stay Pending",)


def stop_embedded() -> list[str]:
    """Ends the embedded cluster and returns the names of what ran."""
    return lifecycle.stop(default_home())


def embedded_overview() -> Overview:
    """Returns what runs and how it is, and what the API says about itself."""
    home = default_home()
    overview = look(home)
    if not overview.is_running:
        return overview
    from corral.adapters.kubernetes.access import Access, Timeouts
    from corral.adapters.kubernetes.retrying import NEVER
    from corral.adapters.kubernetes.sync_client import SyncClient

    # A status must not hang on a sick server: one try, two seconds.
    access, limits = Access(overview.address, token=home.token()), Timeouts(connect=2.0, answer=2.0)
    with SyncClient(access, policy=NEVER, timeouts=limits) as client:
        try:
            version = json.loads(client.raw("GET", "/version"))["gitVersion"]
            return overview.with_api(version, objects_in(client.raw("GET", "/metrics").decode()))
        except CorralError as error:
            return overview.with_api(f"no answer: {error.message}", None)


def embedded_access() -> "Access":
    """Returns how a client reaches the embedded API; it must have been started once."""
    from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig

    return access_of(read_kubeconfig([kubeconfig_path()]), "corral", os.environ)


def kubeconfig_path() -> str:
    """Returns the path of the embedded cluster's kubeconfig."""
    home = default_home()
    if not os.path.exists(home.kubeconfig):
        raise PermanentError("not-set-up", f"there is no kubeconfig in {home.root} yet", hint="run `corral up` first")
    return home.kubeconfig


def diagnose() -> list[Finding]:
    """Examines the machine and the embedded cluster."""
    import apsw

    from corral.engine.doctor import household, machine, sqlite_engine, state

    home = default_home()
    return [
        machine.check_python(),
        machine.check_platform(),
        sqlite_engine.check_sqlite(apsw.sqlite_lib_version(), "in apsw"),
        machine.check_disk(home.root),
        machine.check_clock(household.newest_time(home)),
        household.check_permissions(home),
        household.check_processes(home),
        household.check_port(home),
        household.check_kubeconfig(home),
        state.check_state(home.state),
    ]


def salvage_embedded() -> list[Finding]:
    """Rebuilds a damaged state file; the embedded cluster must be stopped."""
    from corral.engine.doctor import state

    return state.salvage_state(default_home().state)
