"""What a test gets from the session fixture: a real API server, which may or may not be ours to break.

Apart from the fixtures themselves, because pytest wants to be the first to import a module of fixtures.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from corral.testing.control_plane.cluster import ControlPlane


@dataclass(frozen=True)
class RealControlPlane:
    """A real API server and the way in."""

    kubeconfig: Path
    owned: ControlPlane | None
    """Absent when the cluster was given to us; then it is somebody's, and may not be disturbed."""

    def must_own(self) -> ControlPlane:
        """The processes themselves, for tests that break them; a test that gets none is skipped."""
        if self.owned is None:
            pytest.skip(
                "real control plane: not run, because this test needs one of its own; unset CORRAL_TEST_KUBECONFIG"
            )
        return self.owned
