"""What every example needs besides its framework: the data, checkpoints, event files and one line for each report.

A training script of these examples shows one framework and nothing else; the rest is here. It needs numpy, the files of
scikit-learn for the data and, for `Scalars` only, tensorboardX. On a cluster it lies beside `train.py` in the image; on one
machine `corral image map ... --env PYTHONPATH=examples/kit` makes it known. Everything that a job leaves goes below
OUTPUT_DIR, where the manifests mount a claim.
"""

import gzip
import hashlib
import importlib.util
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

FEATURES, CLASSES = 64, 10
TEST_IMAGES = 300
SHUFFLE = 2027
"""The seed of everything that is shuffled here: every process of every run must see the same order."""


class Set(NamedTuple):
    """Images of digits, one flat row of 64 numbers between 0 and 1 each, and what they show."""

    images: np.ndarray
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    def shard(self, rank: int, world: int) -> "Set":
        """Returns the part of one worker: no image is in two parts, and all parts have the same size.

        Workers that meet in every step must take equally many, so up to `world - 1` images belong to nobody.
        """
        whole = len(self) // world * world
        return Set(self.images[rank:whole:world], self.labels[rank:whole:world])

    def batch(self, step: int, size: int) -> "Set":
        """Returns the batch of a step. It depends on the step alone, so a resumed run sees what it would have seen."""
        per_epoch = max(1, len(self) // size)
        epoch, place = divmod(step, per_epoch)
        order = np.random.default_rng((SHUFFLE, epoch)).permutation(len(self))
        chosen = order[place * size : (place + 1) * size]
        return Set(self.images[chosen], self.labels[chosen])


class Digits(NamedTuple):
    """The data, always parted the same way."""

    train: Set
    test: Set


def load() -> Digits:
    """Returns the 1797 digits of 8x8 pixels that come with scikit-learn, shuffled and parted.

    The file is read without importing the package, which would cost every process two seconds.
    """
    package = importlib.util.find_spec("sklearn")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("the digits come with scikit-learn, which is not installed")
    with gzip.open(Path(package.origin).parent / "datasets/data/digits.csv.gz", "rt") as file:
        rows = np.loadtxt(file, delimiter=",", dtype=np.float32)
    rows = rows[np.random.default_rng(SHUFFLE).permutation(len(rows))]
    images, labels = rows[:, :-1] / 16, rows[:, -1].astype(np.int32)
    whole = Set(np.ascontiguousarray(images), labels)
    return Digits(
        train=Set(whole.images[TEST_IMAGES:], whole.labels[TEST_IMAGES:]),
        test=Set(whole.images[:TEST_IMAGES], whole.labels[:TEST_IMAGES]),
    )


def output() -> Path:
    """Returns the folder that outlives the pod: OUTPUT_DIR, or `output` in the working directory."""
    folder = Path(os.environ.get("OUTPUT_DIR", "output")).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Saved(NamedTuple):
    """A checkpoint that was read back whole."""

    step: int
    path: Path


class Checkpoints:
    """The checkpoints of one job: files `step-00000120-HASH.SUFFIX`, of which the newest few are kept.

    A file gets its name, and the hash of what is in it as part of that name, only when it is written to the end. A process
    that dies while it saves leaves the one before as the latest; a file that was damaged later is passed over.
    """

    def __init__(self, suffix: str = "npz", keep: int = 3) -> None:
        self.folder = output() / "checkpoints"
        self.folder.mkdir(exist_ok=True)
        self._suffix, self._keep = suffix, keep

    def save(self, step: int, write: Callable[[Path], object]) -> Path:
        """Saves the state after a step by calling `write` with a path for one file. Only one process may do so."""
        path = self.folder / f"step-{step:08d}-{{digest}}.{self._suffix}"
        path = _place(path, write)
        for old in self._files()[self._keep :]:
            old.path.unlink(missing_ok=True)
        return path

    def save_arrays(self, step: int, arrays: Mapping[str, np.ndarray]) -> Path:
        """Saves named arrays as the state after a step."""
        return self.save(step, lambda path: write_arrays(path, arrays))

    def latest(self) -> Saved | None:
        """Returns the newest checkpoint whose content is what was written, and says from where the job goes on."""
        for saved in self._files():
            if _digest(saved.path) in saved.path.name:
                print(f"resumed from the checkpoint of step {saved.step}", flush=True)
                return saved
            print(f"passed over a damaged checkpoint: {saved.path.name}", flush=True)
        print("no checkpoint yet: starting at step 0", flush=True)
        return None

    def latest_arrays(self) -> tuple[int, dict[str, np.ndarray]] | None:
        """Returns step and arrays of the newest good checkpoint."""
        saved = self.latest()
        return (saved.step, read_arrays(saved.path)) if saved else None

    def _files(self) -> list[Saved]:
        """Returns what is there, the newest first."""
        name = re.compile(rf"step-(\d+)-[0-9a-f]+\.{re.escape(self._suffix)}")
        found = ((name.fullmatch(path.name), path) for path in self.folder.iterdir())
        return sorted((Saved(int(match[1]), path) for match, path in found if match), reverse=True)


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes named arrays into one file."""
    with path.open("wb") as file:
        np.savez(file, **{name: np.asarray(value) for name, value in arrays.items()})


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Returns the named arrays of a file."""
    with np.load(path, allow_pickle=False) as stored:
        return dict(stored)


def export(name: str, write: Callable[[Path], object]) -> Path:
    """Puts the finished model at `model/NAME` below the output folder, by calling `write` with a path for one file."""
    folder = output() / "model"
    folder.mkdir(exist_ok=True)
    return _place(folder / name, write)


def export_folder(name: str, write: Callable[[Path], object]) -> Path:
    """Puts the finished model at `model/NAME` below the output folder, by calling `write` with a path for a folder."""
    path = output() / "model" / name
    path.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".unfinished-") as folder:
        draft = Path(folder, name)
        write(draft)
        if path.exists():
            path.replace(Path(folder, "earlier"))
        draft.replace(path)
    return path


def _place(path: Path, write: Callable[[Path], object]) -> Path:
    """Writes a file beside its place and renames it when it is safe on disk; `{digest}` in its name becomes its hash."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".unfinished-") as folder:
        draft = Path(folder, path.name.replace("{digest}", "draft"))
        write(draft)
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        path = path.with_name(path.name.replace("{digest}", _digest(draft)))
        draft.replace(path)
    return path


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def say(step: int, total: int, **metrics: float) -> None:
    """Prints one report as `step 120/1000 loss=0.3100 accuracy=0.9100`, from which the job's progress is read."""
    words = " ".join(f"{name}={float(value):.4f}" for name, value in metrics.items())
    print(f"step {step}/{total} {words}", flush=True)


def done(accuracy: float, model: Path) -> None:
    """Prints the last line of a job: how good the exported model is, read back, and where it lies."""
    print(f"done accuracy={accuracy:.4f} model={model}", flush=True)


class Scalars:
    """Curves for TensorBoard: `tensorboard --logdir OUTPUT_DIR/events`."""

    def __init__(self, resumed_at: int = 0) -> None:
        from tensorboardX import SummaryWriter

        # What an earlier attempt wrote after its last checkpoint happens again, and is to be forgotten.
        self._writer = SummaryWriter(str(output() / "events"), purge_step=resumed_at or None)

    def write(self, step: int, **metrics: float) -> None:
        """Adds a point to each named curve."""
        for name, value in metrics.items():
            self._writer.add_scalar(name, float(value), step)
        self._writer.flush()

    def close(self) -> None:
        """Writes what is left."""
        self._writer.close()


def accuracy_of(guesses: np.ndarray, labels: np.ndarray) -> float:
    """Returns the share of right guesses; `guesses` are classes, or one row of scores for each image."""
    classes = guesses if guesses.ndim == 1 else guesses.argmax(axis=1)
    return float(np.mean(classes == labels))
