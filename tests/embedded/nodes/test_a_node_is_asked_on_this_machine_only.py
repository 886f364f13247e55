"""A node's certificate cannot be checked, so nothing is asked that another machine could answer."""

import pytest

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.nodes.conversation import ask
from corral.engine.apiserver.nodes.location import Endpoint

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_an_address_of_another_machine_is_refused_unasked() -> None:
    """The address is one of those that are kept for documentation."""
    with pytest.raises(ApiFailure) as caught:
        await ask(Endpoint("192.0.2.1", 10250), "/containerLogs/a/b/c")
    wanted = "192.0.2.1 is not on this machine, and its certificate cannot be checked"
    assert caught.value.message == f'Get "https://192.0.2.1:10250/containerLogs/a/b/c": {wanted}'
