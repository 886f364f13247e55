"""Programs that pods of a machine find: a TensorBoard that only serves the files of its directory, and sources of code."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_TENSORBOARD = """#!{python}
import functools, http.server, sys
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=given["--logdir"])
http.server.ThreadingHTTPServer((given["--host"], int(given["--port"])), handler).serve_forever()
"""


def put_tensorboard(folder: Path) -> None:
    """Writes a program that takes the flags of TensorBoard."""
    program = folder / "tensorboard"
    program.write_text(_TENSORBOARD.format(python=sys.executable))
    program.chmod(0o755)


def git_repository(folder: Path) -> str:
    """Makes a repository with two branches and returns the revision before the last of `next`."""
    folder.mkdir()
    _git(folder, "init", "--quiet", "--initial-branch=main")
    revisions = []
    for branch, text in (("main", "from main"), ("next", "once next"), ("next", "from next")):
        _git(folder, "checkout", "--quiet", "-B", branch)
        (folder / "train.py").write_text(f"print({text!r})\n")
        _git(folder, "add", "train.py")
        _git(folder, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", text)
        revisions.append(_git(folder, "rev-parse", "HEAD"))
    _git(folder, "checkout", "--quiet", "main")
    return revisions[1]


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def why_no_rsync() -> str:
    """Returns why rsync cannot be tried here, "" when it can; with CI=true it is installed, where we may."""
    if shutil.which("rsync"):
        return ""
    if os.environ.get("CI") != "true" or os.geteuid() != 0 or not shutil.which("apt-get"):
        return "rsync is not installed, and only with CI=true and as root it would be"
    for words in (["update"], ["install", "--yes", "--no-install-recommends", "rsync"]):
        done = subprocess.run(["apt-get", "--quiet", *words], capture_output=True, text=True, timeout=240)
        if done.returncode:
            return f"rsync cannot be installed: {done.stderr.strip().splitlines()[-1]}"
    return ""
