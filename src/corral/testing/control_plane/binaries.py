"""Where the binaries of the control plane are: the caller's own, or the ones in the cache.

`KUBEBUILDER_ASSETS` is the name other projects gave to a directory with etcd, kube-apiserver and kubectl; somebody who
has one need not build anything. Our own lie below `CORRAL_CACHE`, else `XDG_CACHE_HOME/corral`, else `~/.cache/corral`.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from corral.testing.control_plane.errors import ControlPlaneError
from corral.testing.control_plane.recipes import KUBERNETES_VERSION, Recipe, recipes

ESSENTIAL = ("etcd", "kube-apiserver")


@dataclass(frozen=True)
class Cache:
    """The directory of one Kubernetes version: finished binaries, their recipes, and work in progress."""

    root: Path

    @property
    def bin(self) -> Path:
        """Finished binaries only; usable as KUBEBUILDER_ASSETS by other projects."""
        return self.root / "bin"

    @property
    def scratch(self) -> Path:
        """Work in progress, on the same file system as `bin` so that a rename is atomic; gone after a full build."""
        return self.root / "building"

    def has(self, recipe: Recipe) -> bool:
        """Whether the binary is there and was made by exactly this recipe."""
        note = self._note(recipe)
        return (self.bin / recipe.name).is_file() and note.is_file() and note.read_text() == recipe.digest()

    def missing(self) -> list[str]:
        """Names of binaries that have to be built."""
        return [recipe.name for recipe in recipes() if not self.has(recipe)]

    def put(self, recipe: Recipe, partial: Path) -> None:
        """Take a finished binary in; a crash between any two steps only means that it is built again."""
        note = self._note(recipe)
        note.parent.mkdir(parents=True, exist_ok=True)
        note.unlink(missing_ok=True)
        partial.replace(self.bin / recipe.name)
        note.write_text(recipe.digest())

    def _note(self, recipe: Recipe) -> Path:
        return self.root / "recipe" / recipe.name


def cache(environment: Mapping[str, str] = os.environ) -> Cache:
    """The cache of the pinned Kubernetes version."""
    if explicit := environment.get("CORRAL_CACHE"):
        home = Path(explicit)
    else:
        home = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "corral"
    return Cache(home.absolute() / f"kubernetes-{KUBERNETES_VERSION}")


def find_binaries(environment: Mapping[str, str] = os.environ) -> Path:
    """A directory that holds at least etcd and kube-apiserver, or a problem that says which are missing."""
    if assets := environment.get("KUBEBUILDER_ASSETS"):
        return _checked(Path(assets).absolute())
    found = cache(environment)
    if missing := found.missing():
        raise ControlPlaneError(f"{', '.join(missing)} not built in {found.root}", "`make kubernetes` builds them")
    return found.bin


def _checked(assets: Path) -> Path:
    missing = [name for name in ESSENTIAL if not os.access(assets / name, os.X_OK)]
    if missing:
        hint = "unset KUBEBUILDER_ASSETS, or point it to a directory that has them"
        raise ControlPlaneError(f"KUBEBUILDER_ASSETS={assets} has no {' and no '.join(missing)}", hint)
    return assets
