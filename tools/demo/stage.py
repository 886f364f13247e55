"""What all demos share: a home of their own that goes away, one line for what happens, and a plain end."""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from corral import assembly
from corral.engine.supervisor.home import default_home
from corral.errors import CorralError

ROOT = Path(__file__).resolve().parents[2]


def perform(play: Callable[[], int]) -> int:
    """Plays in a private home and returns the exit status; whatever happens, the home goes away."""
    signal.signal(signal.SIGTERM, _interrupt)
    with private_home():
        try:
            return play()
        except KeyboardInterrupt:
            print("\ninterrupted; cleaning up")
            return 130
        except BrokenPipeError:
            # The reader has left (`make demo | head`); the flush at exit must be quiet, and the home still goes away.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141
        except CorralError as error:
            kept = kept_logs()
            hint = error.hint.replace(default_home().logs, str(kept)) or f"the logs are kept in {kept}"
            print(f"error: {error.message}\nhint: {hint}", file=sys.stderr)
            return 1


def kept_logs() -> Path:
    """Copies the logs out of the home, which goes away, and returns where they are."""
    kept = ROOT / ".cache" / "demo-logs"
    shutil.rmtree(kept, ignore_errors=True)
    with suppress(FileNotFoundError):
        shutil.copytree(default_home().logs, kept)
    return kept


@contextmanager
def private_home() -> Iterator[None]:
    """Gives the demo a CORRAL_HOME of its own, and takes it away together with everything that runs from it."""
    (ROOT / ".cache").mkdir(exist_ok=True)
    folder = tempfile.mkdtemp(prefix="demo-", dir=ROOT / ".cache")
    os.environ["CORRAL_HOME"] = folder
    for name in ("KUBECONFIG", "CORRAL_CONTEXT"):
        os.environ.pop(name, None)
    try:
        yield
    finally:
        assembly.stop_embedded()
        shutil.rmtree(folder, ignore_errors=True)


def title(text: str) -> None:
    """Prints the heading of a scene, bold where that can be shown."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def say(text: str) -> None:
    """Prints one line of a scene."""
    print(f"   {text}", flush=True)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
