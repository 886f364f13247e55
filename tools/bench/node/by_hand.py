"""The other side: the same program, started by hand in the same environment, with its output in a file."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tools.bench.node.corral_up import clean_environment


class ByHand:
    """A command in a session of its own, which ends with everything it has started."""

    def __init__(self, parent: Path, argv: Sequence[str], workdir: Path, env: dict[str, str]) -> None:
        parent.mkdir(parents=True, exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix="hand-", dir=parent))
        self._log = self._folder / "log"
        output = self._folder / "output"
        output.mkdir()
        self._argv, self._workdir = argv, workdir
        self._environment = clean_environment(**env, OUTPUT_DIR=str(output))

    def __enter__(self) -> Self:
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._argv,
                cwd=self._workdir,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A launcher's processes may have sessions of their own, which end when the launcher has told them to.
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(10.0)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def said(self) -> str:
        """Returns what it has said until now."""
        return self._log.read_text(errors="replace")

    @property
    def has_failed(self) -> bool:
        """Whether it has ended, and not well."""
        return self._process.poll() not in (None, 0)
