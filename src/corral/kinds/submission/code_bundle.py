"""The code of a run as one ConfigMap: which files of a folder belong to it, and how they are found again where it is mounted.

Python files and small texts go along; what is hidden, made by tools, an environment or a key does not. A ConfigMap holds a
megabyte at most, so a folder with more is refused before anything is sent, with the names of the largest files.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from corral.errors import PermanentError
from corral.kinds.objects import Object

MOST_BYTES: Final = 900 * 1024
"""How much code there may be; a ConfigMap holds 1024 KiB."""
MOST_FILES: Final = 400
"""How many files there may be: every pod carries the list of them."""
LARGEST_TEXT: Final = 64 * 1024
"""What is larger and no Python is taken for data."""

_TOOLS_FOLDERS: Final = (
    "__pycache__",
    "node_modules",
    "site-packages",
    "venv",
    "env",
    "wandb",
    "mlruns",
    "lightning_logs",
)
_KEYS: Final = (".pem", ".key", ".p12", ".pfx", ".keytab")
_NAMED_LARGEST: Final = 5


class CodeFile(NamedTuple):
    """One file, by its path from the folder."""

    path: str
    text: str


class SeenFile(NamedTuple):
    """A file that is there, before anybody has read it."""

    path: str
    size: int


class CodeBundle(NamedTuple):
    """The files of a run, and those of its folder that do not go along."""

    files: tuple[CodeFile, ...]
    left_out: tuple[SeenFile, ...] = ()

    @property
    def size(self) -> int:
        """Returns how many bytes its texts have."""
        return sum(len(one.text.encode()) for one in self.files)


def is_code_folder(name: str) -> bool:
    """Whether a folder of this name is looked into."""
    return not name.startswith(".") and name not in _TOOLS_FOLDERS and not name.endswith((".egg-info", ".dist-info"))


def bundled(seen: Iterable[SeenFile], read: Callable[[str], bytes]) -> CodeBundle:
    """Returns the code among the files of a folder; raises when it is more than a ConfigMap holds."""
    files: list[CodeFile] = []
    left_out: list[SeenFile] = []
    for one in sorted(seen):
        if not _is_candidate(one.path):
            continue
        text = _text(read(one.path)) if _is_small(one) else None
        if text is None:
            left_out.append(one)
        else:
            files.append(CodeFile(one.path, text))
    bundle = CodeBundle(tuple(files), tuple(left_out))
    refuse_too_much(bundle)
    return bundle


def _is_candidate(path: str) -> bool:
    name = path.rpartition("/")[2]
    return not name.startswith(".") and not name.endswith((*_KEYS, ".pyc", ".pyo"))


def _is_small(file: SeenFile) -> bool:
    return file.size <= (MOST_BYTES + 1 if file.path.endswith(".py") else LARGEST_TEXT)


def _text(content: bytes) -> str | None:
    """Returns a text, None when it is none."""
    if b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def refuse_too_much(bundle: CodeBundle) -> None:
    """Raises when a bundle does not fit into one ConfigMap."""
    too_large = [one for one in bundle.left_out if one.path.endswith(".py") and one.size > MOST_BYTES]
    size = bundle.size + sum(one.size for one in too_large)
    hint = "keep data and results elsewhere, or bring the code in an image"
    if size > MOST_BYTES:
        sizes = [SeenFile(one.path, len(one.text.encode())) for one in bundle.files] + too_large
        largest = sorted(sizes, key=lambda one: (-one.size, one.path))[:_NAMED_LARGEST]
        message = f"the code has {in_kib(size)}, more than {in_kib(MOST_BYTES)}; the largest files: {listed(largest)}"
        raise PermanentError("code-too-large", message, hint=hint)
    if len(bundle.files) > MOST_FILES:
        message = f"the code has {len(bundle.files)} files, more than {MOST_FILES}"
        raise PermanentError("code-too-large", message, hint=hint)


def listed(files: Sequence[SeenFile], most: int = _NAMED_LARGEST) -> str:
    """Returns files with their sizes for people: `data.csv (120 KiB), model.pt (4096 KiB) and 3 more`."""
    named = ", ".join(f"{one.path} ({in_kib(one.size)})" for one in files[:most])
    return f"{named} and {len(files) - most} more" if len(files) > most else named


def in_kib(size: int) -> str:
    """Returns a size for people, rounded up."""
    return f"{-(-size // 1024)} KiB"


def config_map(name: str, bundle: CodeBundle) -> Object:
    """Returns the ConfigMap that holds the files."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
        "data": dict(zip(_keys(bundle), (one.text for one in bundle.files), strict=True)),
    }


def volume(name: str, config_map_name: str, bundle: CodeBundle) -> Object:
    """Returns the volume in which each file has its path again; keys of a ConfigMap have no folders."""
    items = [{"key": key, "path": one.path} for key, one in zip(_keys(bundle), bundle.files, strict=True)]
    return {"name": name, "configMap": {"name": config_map_name, "items": items}}


def _keys(bundle: CodeBundle) -> list[str]:
    """Returns the key of each file: its path as far as the alphabet of keys allows, each only once."""
    keys: list[str] = []
    taken: set[str] = set()
    for number, one in enumerate(bundle.files):
        key = re.sub(r"[^-._a-zA-Z0-9]", "_", one.path.replace("/", "__")).lstrip(".")[-200:]
        key = key if key and key not in taken else f"{number}-{key}"
        taken.add(key)
        keys.append(key)
    return keys
