"""Tells the tests in here which namespace is theirs."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--namespace", default="default")


@pytest.fixture
def namespace(request: pytest.FixtureRequest) -> str:
    return str(request.config.getoption("--namespace"))
