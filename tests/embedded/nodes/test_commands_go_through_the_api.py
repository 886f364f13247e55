"""Clients reach into a container through the API server, embedded or real, over the node's own API.

The node behind is the real server of a node with one real container. The real kubectl speaks with the embedded server over
WebSockets, and over SPDY as older ones do; kube-apiserver speaks SPDY with the node.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import kubernetes
import kubernetes.stream
import pytest

from corral.adapters.kubelet_api.admission import Admission
from corral.adapters.kubernetes.access import Access
from corral.engine.supervisor.home import kubeconfig_text
from corral.errors import CorralError
from corral.kinds.nodes import CERTIFICATE_FINGERPRINT
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NODE
from corral.testing.control_plane.real_control_plane import RealControlPlane
from corral.testing.embedded_api import EmbeddedApi
from corral.testing.waiting import eventually
from tests.embedded.nodes.stage import Said, Stage, staged

pytestmark = pytest.mark.anyio
pytest_plugins = ["corral.testing.api_servers"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _put(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o600)


@pytest.fixture
async def stage(embedded_api: EmbeddedApi, control_plane_binaries: Path, tmp_path: Path) -> AsyncIterator[Stage]:
    access, kubeconfig = embedded_api.access, tmp_path / "kubeconfig"
    _put(kubeconfig, kubeconfig_text(int(access.server.rpartition(":")[2]), access.token))
    kubectl = (str(control_plane_binaries / "kubectl"), "--kubeconfig", str(kubeconfig))
    async with staged(access, kubectl, tmp_path, Admission(token=access.token)) as stage:
        yield stage


@pytest.mark.parametrize("spdy", [False, True], ids=["websocket", "spdy"])
async def test_the_exit_code_and_both_outputs_come_back(stage: Stage, spdy: bool) -> None:
    said = await stage.kubectl("exec", "talker", "--", "sh", "-c", "echo out; echo err >&2; exit 3", spdy=spdy)
    assert (said.code, said.out) == (3, b"out\n")
    assert "err\n" in said.err
    assert "command terminated with exit code 3" in said.err
    assert (await stage.kubectl("exec", "talker", "--", "true", spdy=spdy)) == Said(0, b"", "")


@pytest.mark.parametrize("spdy", [False, True], ids=["websocket", "spdy"])
async def test_input_is_piped_and_its_end_is_told(stage: Stage, spdy: bool) -> None:
    data = os.urandom(2 << 20)
    said = await stage.kubectl("exec", "-i", "talker", "--", "cat", given=data, spdy=spdy)
    assert said == Said(0, data, "")
    said = await stage.kubectl("exec", "-i", "talker", "--", "sh", "-c", "wc -c", given=data, spdy=spdy)
    assert (said.code, int(said.out)) == (0, len(data))


async def test_a_command_may_have_many_words(stage: Stage) -> None:
    words = [f"word-{number}" for number in range(300)]
    said = await stage.kubectl("exec", "talker", "--", "echo", *words)
    assert said.out.decode().split() == words


async def test_files_are_copied_both_ways(stage: Stage, tmp_path: Path) -> None:
    source, there, back = tmp_path / "source", tmp_path / "there", tmp_path / "back"
    source.write_bytes(os.urandom(1 << 20))
    there.mkdir()
    said = await stage.kubectl("cp", str(source), f"talker:{there}/copy", "-c", "main")
    assert said.code == 0, said.err
    assert (there / "copy").read_bytes() == source.read_bytes()
    said = await stage.kubectl("cp", f"talker:{there}/copy", str(back), "-c", "main")
    assert said.code == 0, said.err
    assert back.read_bytes() == source.read_bytes()


async def test_attaching_shows_what_is_said(stage: Stage) -> None:
    process = await stage.started("attach", "talker", "-c", "main")
    assert process.stdout is not None
    hearing = asyncio.ensure_future(process.stdout.readline())
    while not hearing.done():
        stage.household.say(b"while attached\n")
        await asyncio.wait([hearing], timeout=0.1)
    assert await hearing == b"while attached\n"
    stage.household.is_over = True
    await asyncio.wait_for(process.communicate(), 20)
    assert process.returncode == 0


async def test_a_client_that_is_killed_is_noticed_at_the_node(stage: Stage) -> None:
    process = await stage.started("exec", "talker", "--", "sh", "-c", "echo begun; sleep 100")
    assert process.stdout is not None
    assert await process.stdout.readline() == b"begun\n"
    assert stage.server.open_streams == 1
    process.kill()
    await process.communicate()
    await eventually(lambda: stage.server.open_streams == 0)


async def test_logs_need_the_token_and_have_it(stage: Stage) -> None:
    assert (await stage.kubectl("logs", "talker", "-c", "main")).out == b"begun\n"


async def test_what_cannot_be_is_said_in_a_sentence(stage: Stage) -> None:
    said = await stage.kubectl("exec", "talker", "--", "no-such-program")
    assert said.code == 1
    assert "no-such-program" in said.err
    said = await stage.kubectl("exec", "nobody", "--", "true")
    assert 'pods "nobody" not found' in said.err
    said = await stage.kubectl("exec", "talker", "-c", "nope", "--", "true")
    assert "container nope is not valid for pod talker" in said.err
    said = await stage.kubectl("port-forward", "talker", "8080:80")
    assert said.code == 1
    path = f"/api/v1/namespaces/{stage.household.namespace}/pods/talker"
    with pytest.raises(CorralError, match="this server forwards no ports"):
        await stage.client.raw("POST", f"{path}/portforward")
    with pytest.raises(CorralError, match="Upgrade request required"):
        await stage.client.raw("POST", f"{path}/exec?command=true&container=main")


async def test_the_official_client_runs_commands_over_a_websocket(stage: Stage, embedded_api: EmbeddedApi) -> None:
    access = embedded_api.access

    def run() -> tuple[str, str, int]:
        settings = kubernetes.client.Configuration(
            host=access.server, api_key={"authorization": f"Bearer {access.token}"}
        )
        with kubernetes.client.ApiClient(settings) as client:
            api = kubernetes.client.CoreV1Api(client)
            words = ["sh", "-c", "read word; echo got $word; echo err >&2; exit 7"]
            wanted = {"container": "main", "stdin": True, "stdout": True, "stderr": True, "tty": False}
            conversation = kubernetes.stream.stream(
                api.connect_get_namespaced_pod_exec,
                "talker",
                stage.household.namespace,
                command=words,
                _preload_content=False,
                **wanted,
            )
            conversation.write_stdin("hello\n")
            conversation.run_forever(timeout=20)
            assert not conversation.is_open()
            conversation.sock.shutdown()  # its own close does nothing after a farewell, and leaves the socket open
            return conversation.read_stdout(), conversation.read_stderr(), conversation.returncode

    assert await asyncio.to_thread(run) == ("got hello\n", "err\n", 7)


async def test_what_is_refused_before_the_upgrade_is_a_status(stage: Stage, embedded_api: EmbeddedApi) -> None:
    path = f"/api/v1/namespaces/{stage.household.namespace}/pods/talker/exec?container=main&stdout=1"
    headers = {"Authorization": f"Bearer {embedded_api.access.token}", "Connection": "Upgrade", "Upgrade": "SPDY/3.1"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(embedded_api.access.server + path, headers=headers) as answer,
    ):
        status = await answer.json()
        assert (answer.status, answer.headers["connection"]) == (400, "close")
    assert (status["kind"], status["reason"]) == ("Status", "BadRequest")
    assert status["message"] == "you must specify at least 1 command for the container"


async def test_many_commands_run_at_once(stage: Stage) -> None:
    words = [f"number-{number}" for number in range(12)]
    said = await asyncio.gather(*(stage.kubectl("exec", "talker", "--", "echo", word) for word in words))
    assert [each.out.decode().strip() for each in said] == words
    await eventually(lambda: stage.server.open_streams == 0)


async def test_a_node_whose_certificate_is_another_is_shown_no_token(stage: Stage) -> None:
    """Whoever listens on the port of a node that has gone must not be given the key to everything."""
    node = await stage.client.get(NODE, ObjectKey("", stage.household.node))
    node["metadata"]["annotations"][CERTIFICATE_FINGERPRINT] = "0" * 64
    await stage.client.update(NODE, node)
    for arguments in (("logs", "talker", "-c", "main"), ("exec", "talker", "--", "true")):
        said = await stage.kubectl(*arguments)
        assert said.code == 1
        assert "the certificate is not the one that the node has told" in said.err
    del node["metadata"]["annotations"][CERTIFICATE_FINGERPRINT]
    del node["metadata"]["resourceVersion"]
    await stage.client.update(NODE, node)
    assert "provide credentials" in (await stage.kubectl("logs", "talker", "-c", "main")).err


async def test_a_node_that_is_not_there_is_told(stage: Stage) -> None:
    await stage.server.__aexit__()
    said = await stage.kubectl("exec", "talker", "--", "true")
    assert said.code == 1
    assert f"error dialing backend: dial tcp 127.0.0.1:{stage.server.port}: connect: connection refused" in said.err


@pytest.fixture
async def real_stage(
    real_control_plane: RealControlPlane, real_access: Access, control_plane_binaries: Path, tmp_path: Path
) -> AsyncIterator[Stage]:
    plane = real_control_plane.must_own()
    kubectl = (str(control_plane_binaries / "kubectl"), "--kubeconfig", str(plane.kubeconfig))
    admission = Admission(client_ca=str(plane.credentials.authority.certificate))
    async with staged(real_access, kubectl, tmp_path, admission) as stage:
        yield stage


async def test_a_real_server_shows_its_certificate_and_passes_on_all_of_it(real_stage: Stage, tmp_path: Path) -> None:
    assert (await real_stage.kubectl("logs", "talker", "-c", "main")) == Said(0, b"begun\n", "")
    said = await real_stage.kubectl(
        "exec", "-i", "talker", "--", "sh", "-c", "cat; exit 3", given=b"through and back\n"
    )
    assert (said.code, said.out) == (3, b"through and back\n")
    assert "command terminated with exit code 3" in said.err
    (tmp_path / "file").write_bytes(os.urandom(100_000))
    said = await real_stage.kubectl("cp", str(tmp_path / "file"), f"talker:{tmp_path}/copy", "-c", "main")
    assert said.code == 0, said.err
    assert (tmp_path / "copy").read_bytes() == (tmp_path / "file").read_bytes()


async def test_ports_are_not_forwarded_through_a_real_server_either(real_stage: Stage) -> None:
    said = await real_stage.kubectl("port-forward", "talker", "8080:80")
    assert said.code == 1
