"""The door to assembly: every name that it promises is there, and is imported when it is asked for, not before."""

import subprocess
import sys

import pytest

from corral import assembly


@pytest.mark.parametrize("name", assembly.__all__)
def test_what_is_promised_is_there(name: str) -> None:
    assert getattr(assembly, name) is not None


def test_what_is_not_promised_is_not_there() -> None:
    assert set(assembly._WHERE) == set(assembly.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        assembly.nothing  # noqa: B018 - asking is the test


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    asked = (
        "import sys; from corral import assembly; print([m for m in sys.modules if m.startswith('corral.assembly.')])"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr
