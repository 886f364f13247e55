"""Which Go compiler is on this machine, and whether it is young enough for the pinned modules."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from corral.testing.control_plane.errors import ControlPlaneError
from corral.testing.control_plane.recipes import Recipe

Version = tuple[int, ...]


def find_go(recipes: Iterable[Recipe]) -> str:
    """The path of a Go that can compile all of `recipes`; a missing or old one is a problem of one line."""
    needed = max(required_version(recipe.module) for recipe in recipes)
    hint = f"install Go {_dotted(needed)} or newer and put it on PATH, or set KUBEBUILDER_ASSETS to ready-made binaries"
    go = shutil.which("go")
    if go is None:
        raise ControlPlaneError("Go is not installed", hint)
    found = _version_of(go)
    if found < needed:
        raise ControlPlaneError(f"Go {_dotted(found)} is too old, {_dotted(needed)} is needed", hint)
    return go


def required_version(module: Path) -> Version:
    """The `go` line of a module's go.mod."""
    line = re.search(r"^go (\d+(?:\.\d+)*)", (module / "go.mod").read_text(), re.MULTILINE)
    if line is None:
        raise ControlPlaneError(f"{module / 'go.mod'} names no Go version")
    return _numbers(line.group(1))


def build_environment(build_cache: Path) -> dict[str, str]:
    """The caller's environment, minus what would make the result depend on the caller.

    Settings about where modules come from are kept: they are the caller's business, and go.sum checks the content.
    """
    foreign = {"GOOS", "GOARCH", "GOEXPERIMENT", "GOROOT"}
    kept = {name: value for name, value in os.environ.items() if name not in foreign}
    return kept | {
        "CGO_ENABLED": "0",
        "GOCACHE": str(build_cache),
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }


def _version_of(go: str) -> Version:
    environment = os.environ | {"GOTOOLCHAIN": "local"}
    try:
        run = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, env=environment, cwd="/")
    except OSError as error:
        raise ControlPlaneError(f"{go} does not start: {error.strerror}", "reinstall Go") from error
    number = re.search(r"go(\d+(?:\.\d+)*)", run.stdout)
    if run.returncode != 0 or number is None:
        raise ControlPlaneError(f"{go} does not tell its version", "run `go env GOVERSION` to see why")
    return _numbers(number.group(1))


def _numbers(dotted: str) -> Version:
    return tuple(int(part) for part in dotted.split("."))


def _dotted(version: Version) -> str:
    return ".".join(str(part) for part in version)
