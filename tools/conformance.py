"""Plays the conformance suite to a server: to record a real one, or to see where another differs from the recording.

    python -m tools.conformance discover --kubeconfig FILE
    python -m tools.conformance record --kubeconfig FILE [--file NAME] [--story WORDS]
    python -m tools.conformance compare --kubeconfig FILE [--file NAME] [--story WORDS]

Record with a real kube-apiserver of the release that is named in `corral.testing.control_plane.recipes`.
"""

import argparse
import json
import sys
from pathlib import Path

from corral.testing.contracts.kubernetes_api import recorded
from corral.testing.contracts.kubernetes_api.comparison import findings
from corral.testing.contracts.kubernetes_api.differences import unexcused
from corral.testing.contracts.kubernetes_api.discovered import FILE, discover
from corral.testing.contracts.kubernetes_api.playing import play
from corral.testing.contracts.kubernetes_api.server import Server
from corral.testing.contracts.kubernetes_api.story import Story
from corral.testing.contracts.kubernetes_api.suite import stories


def main() -> int:
    """Does what the first word says; exit code 1 when servers differ."""
    parser = argparse.ArgumentParser(prog="python -m tools.conformance", description=__doc__)
    parser.add_argument("verb", choices=("discover", "record", "compare"))
    parser.add_argument("--kubeconfig", type=Path, required=True, help="the server")
    parser.add_argument("--kubectl", type=Path, help="the kubectl to drive; stories that need one are left out without")
    parser.add_argument(
        "--controllers", action="store_true", help="the server has controllers: play only their stories"
    )
    parser.add_argument("--file", help="only the stories of this file")
    parser.add_argument("--story", default="", help="only stories whose name contains this")
    given = parser.parse_args()
    server = Server(given.kubeconfig.absolute(), given.kubectl)
    if given.verb == "discover":
        FILE.write_text(json.dumps(discover(server), indent=1) + "\n")
        return 0
    chosen = {
        file: [s for s in found if given.story in s.name and s.needs_controllers == given.controllers]
        for file, found in stories().items()
        if given.file in (None, file)
    }
    verb = record if given.verb == "record" else compare
    return max([verb(server, file, [s for s in found if _is_playable(s, server)]) for file, found in chosen.items()])


def _is_playable(story: Story, server: Server) -> bool:
    return server.kubectl is not None or not story.needs_kubectl


def record(server: Server, file: str, chosen: list[Story]) -> int:
    """Writes down what the server answers; stories that are not played keep what was recorded before."""
    if not chosen:
        return 0
    known = dict(recorded.recorded(file))
    known.update({story.name: play(story, server) for story in chosen})
    names = [story.name for story in stories()[file] if story.name in known]
    sys.stdout.write(f"{recorded.write(file, {name: known[name] for name in names})}\n")
    return 0


def compare(server: Server, file: str, chosen: list[Story]) -> int:
    """Prints where the server differs from the recording, listed differences aside."""
    differs = 0
    for story in chosen:
        found = findings(recorded.recorded(file).get(story.name, []), play(story, server))
        left = unexcused(story.name, found, set())
        if left:
            differs = 1
            sys.stdout.write(f"\n### {file}: {story.name}\n" + "".join(f"{finding}\n" for finding in left))
    return differs


if __name__ == "__main__":
    sys.exit(main())
