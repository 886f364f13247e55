"""Checks of the home: who may read it, what is left over from earlier runs, and whether its address is free."""

import os

from corral.engine.doctor.finding import Finding
from corral.engine.small_files import read_text
from corral.engine.supervisor.children import left_behind
from corral.engine.supervisor.home import Home, kubeconfig_text
from corral.engine.supervisor.lifecycle import observe
from corral.engine.supervisor.listening import PortTakenError, listen
from corral.engine.supervisor.readiness import failure_of
from corral.engine.supervisor.unusable_home import examine, reason, refusals_told


def check_permissions(home: Home) -> Finding:
    """Examines who may read the token, the kubeconfig and the state."""
    examine(home)
    if not os.path.isdir(home.root):
        with refusals_told(home):
            try_to_make(home.root)
        return Finding("ok", "home", f"{home.root} is made by the first `corral up`")
    if os.stat(home.root).st_uid != os.getuid():
        return Finding(
            "fail", "home", f"{home.root} belongs to another user", "set CORRAL_HOME to a folder of your own"
        )
    if not os.access(home.root, os.R_OK | os.W_OK | os.X_OK):
        return Finding("fail", "home", f"{home.root} cannot be written", f"chmod 700 {home.root}")
    for path in (home.token_file, home.kubeconfig, home.state, home.logs, home.run):
        if os.path.exists(path) and os.stat(path).st_mode & 0o077:
            return Finding("fail", "home", f"{path} can be read by others", f"chmod go-rwx {path}")
    if os.stat(home.root).st_mode & 0o077:
        return Finding("warn", "home", f"{home.root} is open to others", f"chmod 700 {home.root}")
    return Finding("ok", "home", f"{home.root} is private")


def try_to_make(folder: str) -> None:
    """Makes a folder and takes it away again: nothing else tells whether it can be made; raises OSError when not."""
    missing: list[str] = []
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    made: list[str] = []
    try:
        for path in reversed(missing):
            os.mkdir(path, 0o700)
            made.append(path)
    finally:
        for path in reversed(made):
            os.rmdir(path)


def check_processes(home: Home) -> Finding:
    """Looks for crash loops, and for processes or pid files that a killed supervisor left behind."""
    observation = observe(home)
    if observation.report is not None:
        sick = [failure_of(child, home) for child in observation.report.children if child.is_sick]
        if sick:
            return Finding("fail", "processes", "; ".join(error.message for error in sick), sick[0].hint)
        return Finding("ok", "processes", f"{len(observation.report.children)} running under one supervisor")
    orphans = left_behind(home)
    if orphans:
        names = ", ".join(f"{name} (pid {process.pid})" for name, process in orphans.items())
        return Finding("warn", "processes", f"running without a supervisor: {names}", "`corral up` takes over")
    return Finding("ok", "processes", "none running, none left behind")


def check_port(home: Home) -> Finding:
    """Examines whether the remembered port can be had."""
    port = home.port()
    observation = observe(home)
    if observation.report is not None:
        return Finding("ok", "port", f"127.0.0.1:{observation.report.port} is ours")
    if port is None or observation.orphans:
        return Finding("ok", "port", "chosen by the first `corral up`" if port is None else f"{port} is ours")
    try:
        listen([port]).close()
    except PortTakenError:
        return Finding("fail", "port", f"{port} is taken by another program", "`corral up --port PORT` moves Corral")
    return Finding("ok", "port", f"{port} is free")


def check_kubeconfig(home: Home) -> Finding:
    """Examines whether token and kubeconfig are there, and whether the kubeconfig says what we would write."""
    port = home.port()
    if port is None:
        return Finding("ok", "kubeconfig", "written by the first `corral up`")
    try:
        text, token = read_text(home.kubeconfig), home.token()
    except OSError as error:
        return Finding("fail", "kubeconfig", f"cannot be read: {reason(error)}", f"chmod 600 {error.filename}")
    if not token:
        return Finding("fail", "token", f"{home.token_file} is missing", "`corral up` restores it")
    if not text:
        return Finding("fail", "kubeconfig", f"{home.kubeconfig} is missing", "`corral up` writes it again")
    if text != kubeconfig_text(port, token):
        return Finding("warn", "kubeconfig", f"{home.kubeconfig} was changed", "`corral up` writes it again")
    return Finding("ok", "kubeconfig", home.kubeconfig)


def newest_time(home: Home) -> float:
    """Returns the latest change of any file of the home, 0 when there is none."""
    newest = 0.0
    for folder in (home.root, home.state, home.logs):
        if os.path.isdir(folder):
            with os.scandir(folder) as entries:
                newest = max([newest, *(entry.stat(follow_symlinks=False).st_mtime for entry in entries)])
    return newest
