"""Puts programs into the node's folder that stand in for those of a cluster's images: `kubectl` and `ssh`."""

import os
import shlex

from corral.engine.node.folder import NodeFolder
from corral.engine.node.mpi.own_programs import program
from corral.engine.small_files import note, read_text

PROGRAMS = ("kubectl", "ssh")
_AGENT = "corral.engine.node.mpi.exec_agent"


def script_of(name: str) -> str:
    """Returns the text of a stand-in."""
    return f'#!/bin/sh\nexec {shlex.join(program(_AGENT, name))} "$@"\n'


def install(name: str, folder: str) -> str:
    """Writes a stand-in into a folder and returns its path; one that is there already is replaced in one step."""
    os.makedirs(folder, exist_ok=True)
    path, text = os.path.join(folder, name), script_of(name)
    if read_text(path) != text:
        note(path, text)
    os.chmod(path, 0o755)  # noqa: S103 - a program that holds no secret
    return path


def install_stand_ins(folder: NodeFolder) -> None:
    """Writes all stand-ins of a node."""
    for name in PROGRAMS:
        install(name, folder.stand_ins)
