"""The built-in controllers as a child process, which tests may kill at any moment and start again."""

import signal
import subprocess
import sys
from pathlib import Path

from corral.adapters.kubernetes.access import Access
from corral.testing.kubeconfig_files import written_kubeconfig


class ControllersProcess:
    """Runs while entered."""

    def __init__(self, access: Access, folder: Path, *options: str, kubeconfig: Path | None = None) -> None:
        self.log = folder / "controllers.log"
        self._kubeconfig = kubeconfig or written_kubeconfig(access, folder / "kubeconfig")
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "ControllersProcess":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """Returns the process id of the present run."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Starts the process."""
        words = [sys.executable, "-m", "corral.engine.controllers", "--kubeconfig", str(self._kubeconfig)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen([*words, *self._options], stdout=log, stderr=log)

    def kill(self) -> None:
        """Ends the process at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def terminate(self) -> int:
        """Asks the process to end and returns its exit status."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self) -> int:
        """Returns the exit status once the process has ended by itself."""
        assert self._process is not None
        status = self._process.wait(timeout=10)
        self._process = None
        return status
