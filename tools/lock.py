"""Rewrites the lock files: names, versions, markers and hashes, nothing else. `python tools/lock.py [FILE...]`.

The resolver is installed into a throw-away environment, so that it is no dependency of anything. The result holds for
every platform and every Python from 3.11 on, lists all files of each release, and names no index: pip's own
configuration decides where the files come from.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FORM = [
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-header",
    "--no-annotate",
    "--no-emit-index-url",
    "--upgrade",
    "--quiet",
]
LOCKS = {
    "requirements.lock": ["pyproject.toml"],
    "requirements-dev.lock": ["pyproject.toml", "--group=pyproject.toml:dev"],
    "requirements-sdk.lock": ["--group=pyproject.toml:sdk"],
}
FRAMEWORKS = Path("requirements/frameworks")
"""Of each `NAME.in` in this folder, `NAME.lock` is made: one environment of the examples each."""
BUILT = FRAMEWORKS / "built"
"""What is built inside such an environment when the rest of it is there, and so brings nothing along."""


def sources_by_lock() -> dict[str, list[str]]:
    """Returns the sources of every lock file, by its path from the root."""
    found = {str(path.with_suffix(".lock")): [str(path)] for path in _inputs(FRAMEWORKS)}
    return LOCKS | found | {str(path.with_suffix(".lock")): [str(path), "--no-deps"] for path in _inputs(BUILT)}


def _inputs(folder: Path) -> list[Path]:
    return sorted(path.relative_to(ROOT) for path in (ROOT / folder).glob("*.in"))


def main(wanted: list[str]) -> None:
    """Resolves the wanted sets anew, or every one."""
    sets = sources_by_lock()
    unknown = [name for name in wanted if name not in sets]
    if unknown:
        sys.exit(f"unknown: {' '.join(unknown)}; known: {' '.join(sets)}")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        tools = Path(folder, "bin")
        subprocess.run([str(tools / "python"), "-m", "pip", "install", "--quiet", "uv"], check=True)
        for name, sources in sets.items():
            if wanted and name not in wanted:
                continue
            command = [str(tools / "uv"), "pip", "compile", *FORM, "--output-file", name, *sources]
            subprocess.run(command, check=True, cwd=ROOT)
            sys.stdout.write(f"{name}: {(ROOT / name).read_text().count('==')} releases\n")


if __name__ == "__main__":
    main(sys.argv[1:])
