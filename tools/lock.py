"""Rewrites the requirements*.lock files: names, versions, markers and hashes, nothing else.

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


def main() -> None:
    """Resolves every set anew."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        tools = Path(folder, "bin")
        subprocess.run([str(tools / "python"), "-m", "pip", "install", "--quiet", "uv"], check=True)
        for name, sources in LOCKS.items():
            command = [str(tools / "uv"), "pip", "compile", *FORM, "--output-file", name, *sources]
            subprocess.run(command, check=True, cwd=ROOT)
            sys.stdout.write(f"{name}: {(ROOT / name).read_text().count('==')} releases\n")


if __name__ == "__main__":
    main()
