"""The command line: `python -m corral.testing.control_plane build|run|path`.

Data goes to standard output, progress and problems to standard error. A problem is one line and exit code 2.
"""

import argparse
import signal
import sys
from pathlib import Path
from time import sleep
from types import FrameType

from corral.testing.control_plane.binaries import cache, find_binaries
from corral.testing.control_plane.building import build
from corral.testing.control_plane.certificates import write_secret
from corral.testing.control_plane.cluster import Choices, ControlPlane
from corral.testing.control_plane.errors import ControlPlaneError


def main(arguments: list[str] | None = None) -> int:
    """Do what the first word says."""
    options = _parser().parse_args(arguments)
    verbs = {"build": _build, "path": _path, "run": _run}
    try:
        return verbs[options.verb](options)
    except ControlPlaneError as error:
        _say(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        _say("stopped")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m corral.testing.control_plane", description=_DESCRIPTION)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("build", help="build what is missing, and print the directory of the binaries")
    verbs.add_parser("path", help="print the directory of the binaries")
    run = verbs.add_parser("run", help="run a control plane until interrupted, and print its kubeconfig's path")
    run.add_argument("--fast", action="store_true", help="let etcd not wait for the disk")
    run.add_argument("--controller-manager", action="store_true", help="run kube-controller-manager too")
    run.add_argument("--controllers", default="*", help="which controllers, separated by commas (default: %(default)s)")
    run.add_argument("--scheduler", action="store_true", help="run kube-scheduler too")
    run.add_argument("--kubeconfig", type=Path, help="put a copy of the kubeconfig here; the file must not exist yet")
    return parser


_DESCRIPTION = "Build and run the real Kubernetes control plane, on loopback, for tests."


def _build(options: argparse.Namespace) -> int:
    print(build(cache(), _say))
    return 0


def _path(options: argparse.Namespace) -> int:
    print(find_binaries())
    return 0


def _run(options: argparse.Namespace) -> int:
    choices = Choices(
        durable=not options.fast,
        controller_manager=options.controller_manager,
        controllers=tuple(options.controllers.split(",")),
        scheduler=options.scheduler,
    )
    if options.kubeconfig is not None and options.kubeconfig.exists():
        raise ControlPlaneError(f"{options.kubeconfig} exists already", "name a file that does not")
    signal.signal(signal.SIGTERM, _interrupt)
    with ControlPlane(choices=choices) as plane:
        try:
            _publish(plane, options.kubeconfig)
            return _watch(plane)
        finally:
            if options.kubeconfig is not None:
                options.kubeconfig.unlink(missing_ok=True)


def _publish(plane: ControlPlane, copy: Path | None) -> None:
    if copy is not None:
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_secret(copy, plane.kubeconfig.read_bytes())
    _say(f"ready at {plane.server} after {plane.started_in:.1f} s, logs in {plane.logs}")
    print(copy or plane.kubeconfig, flush=True)


def _watch(plane: ControlPlane) -> int:
    """Wait for an interrupt, and notice a component that ends by itself."""
    while True:
        for component in plane.components.values():
            if component.pid is None:
                _say(f"error: {component.name} ended by itself")
                return 1
        sleep(1)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
