"""`make demo`: a real network, trained across processes by the cluster's own YAML, without Docker and without a cluster.

Everything is done with the command line that users have. A worker is killed on purpose on the way; the job's own policy
brings it back. `FRAMEWORK=torch make demo` trains with another framework.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path
from typing import Any

from corral.engine.node.containers.ending import signal_program
from corral.engine.node.folder import NodeFolder
from corral.engine.node.mpi.pod_finding import PodsOnDisk, pods_named, running_container
from corral.engine.supervisor.home import default_home
from corral.errors import PermanentError
from tools import frameworks
from tools.demo.stage import ROOT, perform, say, title

EXAMPLES = {
    "jax": "02-jax",
    "mpi": "03-mpi-allreduce",
    "xgboost": "04-xgboost",
    "torch": "10-pytorch-ddp",
    "tensorflow": "12-tensorflow-ps",
}
STEP = re.compile(r"step (\d+)/(\d+)")
KILL_AT = 0.4
"""The part of the steps after which a worker is killed."""
LONGEST = 120
"""Characters of a line that are shown."""
MODEL = ROOT / ".cache" / "demo-model"


def main() -> int:
    """Plays the demo and returns its exit status: 0 when the model was trained."""
    framework = os.environ.get("FRAMEWORK") or "jax"
    if framework not in EXAMPLES:
        print(
            f"error: there is no demo with {framework}\nhint: FRAMEWORK={'|'.join(EXAMPLES)} make demo", file=sys.stderr
        )
        return 2
    python = frameworks.make(framework)
    return perform(lambda: play(EXAMPLES[framework], python))


def play(name: str, python: Path) -> int:
    """Shows the scenes."""
    began = time.perf_counter()
    folder = ROOT / "examples" / name
    facts = tomllib.loads((folder / "example.toml").read_text())
    job = facts["jobs"][0]
    manifest = folder / job["manifest"]
    title("1. Start Corral on this machine: a Kubernetes API, its controllers, and this machine as a node")
    corral("up", show=2)
    title("2. Say what the image of the manifest means here, and submit the manifest as it is")
    corral("image", "map", facts["image"], "--python", str(python), "--workdir", str(folder), *environment(facts))
    applied = corral("apply", "-f", str(manifest))
    title("3. Follow all ranks; one worker is killed on the way")
    name = job_name(applied)
    is_trained = follow(name, job.get("kill", ""))
    title("4. What became of it")
    corral("get", name)
    model = kept_model(name)
    say(f"the model is in {model.relative_to(ROOT)}")
    title("5. Stop; nothing is left behind")
    corral("down")
    print(f"\nDone in {time.perf_counter() - began:.0f} s. Next: the lines under Quickstart in README.md.")
    return 0 if is_trained else 1


def environment(facts: dict[str, Any]) -> list[str]:
    """Returns the variables that the image would bring: where the examples' shared module is, and its own."""
    variables = {"PYTHONPATH": str(ROOT / "examples" / "kit"), **facts.get("env", {})}
    return [word for variable, value in variables.items() for word in ("--env", f"{variable}={value}")]


def corral(*words: str, show: int = 100) -> str:
    """Runs a command of ours, shows it with what it says, and returns that."""
    shown = " ".join(word.replace(f"{ROOT}/", "").replace(str(Path.home()), "~") for word in words)
    say(f"$ corral {shown}")
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise PermanentError("demo-stuck", f"corral {words[0]}: {done.stderr.strip()}")
    for line in done.stdout.splitlines()[:show]:
        say(f"  {line.replace(f'{ROOT}/', '')}".rstrip())
    return done.stdout


COMMAND = (sys.executable, "-m", "corral")


def job_name(applied: str) -> str:
    """Returns the training job among what was applied."""
    found = re.search(r"^\w+job\.kubeflow\.org/(\S+)", applied, re.MULTILINE)
    if found is None:
        raise PermanentError("demo-stuck", f"no training job among: {applied}")
    return found[1]


def follow(job: str, victim: str) -> bool:
    """Shows the lines of all ranks until the job ends, kills the victim on the way, and tells whether it succeeded."""
    say(f"$ corral logs -f {job}")
    following = subprocess.Popen([*COMMAND, "logs", "-f", job], stdout=subprocess.PIPE, text=True)
    assert following.stdout is not None
    try:
        for line in following.stdout:
            say(f"  {shortened(line.rstrip())}")
            if victim and is_due(line):
                threading.Thread(target=kill, args=(victim,)).start()
                victim = ""
        following.wait()
    finally:
        if following.poll() is None:
            following.kill()
            following.wait()
    return subprocess.run([*COMMAND, "wait", job, "--timeout", "60s"], check=False).returncode == 0


def shortened(line: str) -> str:
    """Returns a line as far as people read it; a framework that loses a peer says more than that."""
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."


def is_due(line: str) -> bool:
    """Tells whether a line says that enough of the training is done."""
    found = STEP.search(line)
    return found is not None and int(found[1]) >= int(found[2]) * KILL_AT


def kill(pod: str) -> None:
    """Kills the program of a pod the hard way."""
    folder = NodeFolder(default_home().node)
    run = running_container(folder, pods_named(PodsOnDisk(folder).look(), "default", pod))
    if run is not None and signal_program(run, 9):
        say(f"  >>> kill -9 of the process of {pod}; the job's policy brings it back <<<")


def kept_model(job: str) -> Path:
    """Copies the model out of the home, which goes away, and returns where it is."""
    shutil.rmtree(MODEL, ignore_errors=True)
    claim = Path(NodeFolder(default_home().node).claim("default", job))
    if (claim / "model").is_dir():
        shutil.copytree(claim / "model", MODEL)
    else:
        raise PermanentError("demo-stuck", f"no model in {json.dumps(sorted(os.listdir(claim)))}")
    return MODEL


if __name__ == "__main__":
    sys.exit(main())
