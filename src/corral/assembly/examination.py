"""What `corral doctor` examines and repairs."""

import time
from collections.abc import Callable
from contextlib import closing

from corral.engine.doctor.finding import Finding
from corral.engine.supervisor.home import default_home
from corral.engine.supervisor.unusable_home import examine, refusals_told
from corral.errors import CorralError

API_PATIENCE = 5.0
"""Seconds that an API may take for one answer."""


def diagnose(**flags: str) -> list[Finding]:
    """Examines the machine, the embedded cluster, and the API that commands with these flags talk to."""
    return [*_of_this_machine(), *_of_api(flags)]


def _of_api(flags: dict[str, str]) -> list[Finding]:
    from corral.assembly.desk import open_glance
    from corral.control.desk.cluster.checkup import check_api

    try:
        session = open_glance(API_PATIENCE, **flags)
    except CorralError as error:
        return [Finding("fail", "context", error.message, error.hint)]
    if session is None:
        return [Finding("ok", "api", "does not run; the first command that needs it starts it")]
    with closing(session.store):
        return [Finding(*one) for one in check_api(session, time.time())]


def _of_this_machine() -> list[Finding]:
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
