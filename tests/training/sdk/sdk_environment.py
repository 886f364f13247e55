"""The environment of the `kubeflow-training` SDK, and pytest run inside of it.

It is one of its own because the SDK holds the client of Kubernetes at an older release than our tests use.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[3]
INSIDE = Path(__file__).parent / "inside"
"""Files that only run in that environment."""
_FOLDER = ROOT / ".cache" / "sdk-environment"


def sdk_python() -> Path:
    """Returns the interpreter of the environment, which is made from its lock unless it is there."""
    lock = str(ROOT / "requirements-sdk.lock")
    subprocess.run([sys.executable, str(ROOT / "tools/environment.py"), str(_FOLDER), lock], check=True, timeout=280)
    return _FOLDER / "bin" / "python"


def wheel_tests(python: Path) -> Path:
    """Returns the folder of the e2e tests that the wheel ships."""
    found = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(found.stdout.strip()) / "test" / "e2e"


class PytestInside:
    """One pytest process in the SDK's environment; starts at once, `outcomes` waits for its end."""

    def __init__(
        self, python: Path, file: Path, folder: Path, words: Sequence[str], kubeconfig: Path, *, gangs: str = "none"
    ) -> None:
        self._report = folder / f"{file.stem}.xml"
        self._output = folder / f"{file.stem}.txt"
        command = [str(python), "-m", "pytest", str(file), "-p", "quick_polling", "-p", "no:cacheprovider"]
        # Neither our configuration nor our conftest files are for tests of others.
        command += ["-c", os.devnull, "--rootdir", str(file.parent), f"--junit-xml={self._report}", *words]
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                command, stdout=output, stderr=output, cwd=folder, env=_environment(kubeconfig, gangs)
            )

    def outcomes(self, within: float) -> Mapping[str, str]:
        """Returns each test's name with `passed`, or with what it said instead."""
        try:
            self._process.wait(within)
        except subprocess.TimeoutExpired:
            return {"pytest": f"did not end within {within:g} s: {self.output}"}
        if not self._report.exists():
            return {"pytest": self.output}
        cases = ElementTree.parse(self._report).getroot().iter("testcase")
        return {case.attrib["name"]: _outcome(case) for case in cases}

    def end(self) -> None:
        """Ends the process, if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    @property
    def output(self) -> str:
        """Returns the end of what the process has written."""
        return self._output.read_text(errors="replace")[-6000:]


def _outcome(case: ElementTree.Element) -> str:
    for kind in ("failure", "error", "skipped"):
        found = case.find(kind)
        if found is not None:
            return f"{kind}: {found.text or found.attrib.get('message', '')}"[-6000:]
    return "passed"


def _environment(kubeconfig: Path, gangs: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))}
    return {**kept, "KUBECONFIG": str(kubeconfig), "PYTHONPATH": str(INSIDE), "GANG_SCHEDULER_NAME": gangs}
