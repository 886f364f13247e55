"""The command lines that are measured, and the peer that some of them stand beside."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from corral.testing.control_plane.binaries import cache


class Line(NamedTuple):
    """One command line: its name in tables, its words, and variables that only it has."""

    name: str
    words: tuple[str, ...]
    env: Mapping[str, str] = {}


class Peer(NamedTuple):
    """A kubectl and its version."""

    path: Path
    version: str
    is_built: bool
    """Whether it is that of the cache, so that the rest of a control plane is there as well."""


BARE, FETCH = "python -c pass", "python: what list reads, thrown away"
"""What no command of ours can be quicker than: the start of the interpreter, and the bytes that `list` has to fetch."""
SUBMIT = "submit"
LIST, LIST_PEER = "list", "kubectl get of one kind"
LIST_SAME_PEER = "kubectl get of all that list reads"
_ALL = "pytorchjobs,tfjobs,mpijobs,xgboostjobs,paddlejobs,jaxjobs,mxjobs,pods"
_TAB = {"_CORRAL_COMPLETE": "bash"}
_BREAKS = " \t\n\"'@><=;|&(:"
"""At these signs bash breaks words; it tells so when TAB is pressed."""
COMPLETION, COMPLETION_JOBS = "completion of a command", "completion of a job's name"


def own_lines(corral: Path) -> list[Line]:
    """Returns Corral's command lines; `{n}` is the number of the run."""
    program = str(corral)
    job = ("--name=bench-{n}", "--image=repo/train:1", "--workers=2", "--gpus=1", "python train.py")
    return [
        Line(BARE, (sys.executable, "-c", "pass")),
        Line(FETCH, (sys.executable, str(Path(__file__).with_name("fetch.py")))),
        Line("--help", (program, "--help")),
        Line("--version", (program, "--version")),
        Line("submit --help", (program, "submit", "pytorchjob", "--help")),
        Line(COMPLETION, (program, "corral li", _BREAKS), _TAB),
        Line(COMPLETION_JOBS, (program, "corral logs train-00", _BREAKS), _TAB),
        Line(LIST, (program, "list")),
        Line("get JOB", (program, "get", "train-0000")),
        Line(SUBMIT, (program, "submit", "pytorchjob", *job)),
    ]


def peer_lines(peer: Peer | None) -> list[Line]:
    """Returns what kubectl is asked for, none without one."""
    if peer is None:
        return []
    get = (str(peer.path), "get")
    return [Line(LIST_PEER, (*get, "pytorchjobs")), Line(LIST_SAME_PEER, (*get, _ALL))]


def list_lines(corral: Path, peer: Peer | None) -> list[Line]:
    """Returns the lines that are measured on the real API server as well."""
    return [Line(LIST, (str(corral), "list")), *peer_lines(peer)]


def found_peer() -> Peer | None:
    """Returns the kubectl of the cache, else the one on the path, None when there is neither."""
    built = cache().bin / "kubectl"
    path = str(built) if os.access(built, os.X_OK) else shutil.which("kubectl")
    if path is None:
        return None
    said = subprocess.run([path, "version", "--client"], capture_output=True, text=True, timeout=60).stdout
    version = said.splitlines()[0].rpartition(" ")[2] if said else "unknown"
    return Peer(Path(path), version, path == str(built))
