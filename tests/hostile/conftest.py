"""One server for all hostile tests, with short patience; after each of them it must be well and have nothing new."""

from collections.abc import Iterator

import pytest

from tests.api_process import ApiProcess

PATIENCE = {"http.protocol.HEAD_SECONDS": 1.0, "http.request.BODY_SECONDS": 1.0}
MOST_GROWTH = 60 << 20


@pytest.fixture(scope="session")
def hostile_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    with ApiProcess(tmp_path_factory.mktemp("hostile"), PATIENCE) as api:
        assert api.ask("GET", "/readyz").status == 200
        for path in ("/openapi/v2", "/apis"):  # made on first use, and no part of what tests measure
            api.ask("GET", path)
        yield api


@pytest.fixture
def api(hostile_api: ApiProcess) -> Iterator[ApiProcess]:
    """The server; fails the test that leaves it dead, complaining in its log, or fat."""
    pid, before = hostile_api.pid, hostile_api.resident_bytes()
    said = len(hostile_api.log_text())
    yield hostile_api
    assert hostile_api.ask("GET", "/readyz").status == 200
    assert hostile_api.pid == pid
    assert "Traceback" not in hostile_api.log_text()[said:], hostile_api.log_text()[said:]
    assert hostile_api.resident_bytes() - before < MOST_GROWTH


@pytest.fixture
def unchanged(api: ApiProcess) -> Iterator[ApiProcess]:
    """The server, for tests after which nothing may have been stored."""
    before = api.metric("corral_store_revision")
    yield api
    assert api.metric("corral_store_revision") == before, "something was stored"
