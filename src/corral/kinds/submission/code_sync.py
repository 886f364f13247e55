"""How code comes into a pod: containers that run before the training, with commands as words, never as a script.

Branch, revision and depth are those of the variables that Arena's users set for git-sync; name and password as well.
"""

from typing import Final

from corral.kinds.objects import Object
from corral.kinds.submission.submission import Submission, Words

IMAGES: Final = {"git": "alpine/git:latest", "rsync": "instrumentisto/rsync-ssh:alpine"}
"""What has the program, when nothing else is said; on one machine the program is that of the machine."""
MODES: Final = tuple(IMAGES)
MOUNT: Final = "/code"
"""Where the containers that fetch see the volume that the training has as its code."""

_CREDENTIALS: Final = '!answer() { echo "username=$GIT_SYNC_USERNAME"; echo "password=$GIT_SYNC_PASSWORD"; }; answer'  # names of variables


def project_name(source: str) -> str:
    """Returns the folder that a repository is cloned to: the last part of its address."""
    last = source.rstrip("/").replace(":", "/").rpartition("/")[2]
    return last.removesuffix(".git")


def sync_containers(submission: Submission) -> list[Object]:
    """Returns the containers that fetch the code, in their order."""
    sync = submission.sync
    if not sync.mode:
        return []
    steps = [("init-code", _git(submission) if sync.mode == "git" else _rsync(sync.source))]
    revision = submission.env.get("GIT_SYNC_REV", "")
    if sync.mode == "git" and revision:
        folder = f"{MOUNT}/{project_name(sync.source)}"
        steps.append(("init-revision", ["git", "-C", folder, "checkout", "--detach", revision, "--"]))
    return [
        {
            "name": name,
            "image": sync.image or IMAGES[sync.mode],
            "imagePullPolicy": submission.image_pull_policy,
            "command": words,
            "volumeMounts": [{"name": "code", "mountPath": MOUNT}],
        }
        for name, words in steps
    ]


def _git(submission: Submission) -> list[str]:
    env: Words = submission.env
    named = "GIT_SYNC_USERNAME" in env or any(one.name == "GIT_SYNC_USERNAME" for one in submission.secrets)
    words = ["git", *(["-c", f"credential.helper={_CREDENTIALS}"] if named else []), "clone", "--recurse-submodules"]
    words += ["--branch", env["GIT_SYNC_BRANCH"]] if env.get("GIT_SYNC_BRANCH") else []
    words += ["--depth", env["GIT_SYNC_DEPTH"]] if env.get("GIT_SYNC_DEPTH", "0") != "0" else []
    return [*words, "--", submission.sync.source, f"{MOUNT}/{project_name(submission.sync.source)}"]


def _rsync(source: str) -> list[str]:
    return ["rsync", "--archive", "--", source, MOUNT]
