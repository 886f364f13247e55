"""The marks of conformance tests: which case of the contract a test shows, and how its operator is started."""

from collections.abc import Callable
from typing import Any

import pytest

Decorator = Callable[[Any], Any]


def case(*ids: int | str) -> Decorator:
    """Names the cases (numbers) or sentences (words) of `cases/contract.yaml` that a test shows."""
    return pytest.mark.case(*ids)


def started_with(*options: str, **environment: str) -> Decorator:
    """Has the operator run with these options and this environment while the test runs."""
    return pytest.mark.started_with(*options, **environment)
