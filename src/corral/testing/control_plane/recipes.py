"""What is built, from which pinned module, and with which flags.

Two Go modules lie beside this file, one for etcd and one for Kubernetes, because the two projects ask for different
versions of the same libraries and must be compiled as they were released. Their `go.sum` files are the pin: Go refuses
a module whose content does not match.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

KUBERNETES_VERSION = "v1.34.2"
ETCD_VERSION = "v3.6.5"

_MODULES = Path(__file__).parent / "go"


@dataclass(frozen=True)
class Recipe:
    """One binary and everything that decides its content apart from the compiler."""

    name: str
    module: Path
    package: str
    version: str
    linker_flags: str

    def command(self, go: str, output: Path) -> list[str]:
        """The compiler call; it runs inside `module` and never changes a file there."""
        flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", f"-ldflags={self.linker_flags}"]
        return [go, "build", *flags, "-o", str(output), self.package]

    def digest(self) -> str:
        """Changes when the binary has to be built again, so that a new pin never meets an old binary."""
        seal = sha256()
        for name in ("go.mod", "go.sum"):
            seal.update((self.module / name).read_bytes())
        seal.update(" ".join(self.command("go", Path(self.name))).encode())
        return seal.hexdigest()


def recipes() -> tuple[Recipe, ...]:
    """All binaries, in an order that has a bare control plane ready as early as possible."""
    return (
        Recipe("etcd", _MODULES / "etcd", "go.etcd.io/etcd/server/v3", ETCD_VERSION, "-s -w"),
        _kubernetes("kube-apiserver"),
        _kubernetes("kubectl"),
        _kubernetes("kube-controller-manager"),
        _kubernetes("kube-scheduler"),
    )


def _kubernetes(name: str) -> Recipe:
    package = f"k8s.io/kubernetes/cmd/{name}"
    return Recipe(name, _MODULES / "kubernetes", package, KUBERNETES_VERSION, _version_flags(KUBERNETES_VERSION))


def _version_flags(version: str) -> str:
    """Strip the binary and tell it its version.

    Without this the server calls itself v0.0.0-master, and clients that look at the version take another path.
    The commit and the date stay out: a module does not carry them, and a date would make every build different.
    """
    major, minor, _ = version.removeprefix("v").split(".")
    facts = {
        "gitVersion": version,
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "archive",
        "gitCommit": "",
    }
    packages = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    settings = [f"-X {package}.{fact}={value}" for package in packages for fact, value in facts.items()]
    return " ".join(["-s", "-w", *settings])
