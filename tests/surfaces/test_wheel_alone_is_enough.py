"""The package as users get it: a wheel, installed without this checkout, gives a working `corral up`.

The dependencies come from the environment that runs the tests (which `make` filled from the lock), so that nothing is
downloaded; that they are declared is checked against what the wheel asks for.
"""

import os
import subprocess
import sys
import sysconfig
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    return next(folder.glob("*.whl"))


def test_the_wheel_says_what_it_is_and_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = Parser().parsestr(archive.read(next(n for n in names if n.endswith("/METADATA"))).decode())
    assert "corral/py.typed" in names
    assert not [name for name in names if name.startswith(("tests", "tools"))]
    assert metadata["License-Expression"] == "Apache-2.0"
    said = metadata.get_all("Requires-Dist") or []
    extras = {line.split(">")[0] for line in said if "extra ==" in line}
    needed = {line.split(">")[0].lower() for line in said if "extra ==" not in line}
    assert extras == {"matplotlib"}
    assert needed == {
        "aiohttp",
        "highspy",
        "numpy",
        "apsw",
        "click",
        "cronsim",
        "cryptography",
        "google-re2",
        "httptools",
        "msgspec",
        "pyyaml",
        "tzdata",
        "uvicorn",
    }


def test_up_works_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    # PYTHONPATH comes before the editable installation of this checkout, so the copy from the wheel is what runs.
    path = os.pathsep.join([str(tmp_path / "site"), sysconfig.get_path("platlib")])
    environment = {**os.environ, "PYTHONPATH": path, "CORRAL_HOME": str(tmp_path / "home")}
    origin = "import corral; print(corral.__file__)"

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], env=environment, capture_output=True, text=True, timeout=60, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("-c", origin).startswith(str(tmp_path / "site"))
    try:
        assert "Corral is up" in run("-m", "corral", "up", "--api-only")
        assert '"running": true' in run("-m", "corral", "status", "-o", "json")
    finally:
        run("-m", "corral", "down")
