"""The embedded API server and a real kube-apiserver, held to the same recorded answers.

| rung | servers | when |
|---|---|---|
| embedded | ours, alone and with its controllers | always |
| real | kube-apiserver, alone and with kube-controller-manager | CI, or when its binaries are there |

Every story of `corral.testing.contracts.kubernetes_api` runs on both, unchanged. What the embedded server does
differently on purpose is listed in `differences.yaml`; the real one may not differ from its own recording at all.
"""

import pytest

from corral.testing.contracts.kubernetes_api.comparison import Finding, findings
from corral.testing.contracts.kubernetes_api.differences import Difference, differences, unexcused
from corral.testing.contracts.kubernetes_api.playing import play
from corral.testing.contracts.kubernetes_api.recorded import recorded
from corral.testing.contracts.kubernetes_api.server import Server
from corral.testing.contracts.kubernetes_api.story import Story
from corral.testing.contracts.kubernetes_api.suite import stories

pytest_plugins = [
    "corral.testing.control_plane.pytest_fixture",
    "corral.testing.contracts.kubernetes_api.pytest_fixture",
]

STORIES = [pytest.param(file, story, id=story.name) for file, group in stories().items() for story in group]

_used: set[Difference] = set()
_played: set[str] = set()


@pytest.mark.parametrize(("file", "story"), STORIES)
def test_the_embedded_server_answers_as_recorded(request: pytest.FixtureRequest, file: str, story: Story) -> None:
    server = _server(request, story, "embedded")
    found = findings(recorded(file)[story.name], play(story, server))
    left = unexcused(story.name, found, _used)
    _played.add(story.name)
    assert not left, _told(left)


def test_every_listed_difference_shows() -> None:
    """Only when everything was played; a part of the suite says nothing about the whole list."""
    if len(_played) == len(STORIES):
        assert [each.reason for each in differences() if each not in _used] == []


@pytest.mark.parametrize(("file", "story"), STORIES)
def test_a_real_server_still_answers_as_recorded(request: pytest.FixtureRequest, file: str, story: Story) -> None:
    server = _server(request, story, "real")
    found = findings(recorded(file)[story.name], play(story, server))
    assert not found, _told(found)


def _server(request: pytest.FixtureRequest, story: Story, rung: str) -> Server:
    kind = "cluster" if story.needs_controllers else "server"
    server: Server = request.getfixturevalue(f"{rung}_{kind}")
    if story.needs_kubectl and server.kubectl is None:
        pytest.skip("kubectl: not run, because it was not built; `make kubernetes` builds it")
    return server


def _told(found: list[Finding]) -> str:
    return "\n" + "\n".join(map(str, found))
