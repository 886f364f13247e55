"""`corral run`: a script becomes a job without a word of YAML, its output is shown, and its end is the command's."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.surfaces.conftest import Cli, cli_of, private_environment
from tests.surfaces.hollow_stage import Running

RANKS = """
import os, sys, time
rank, size = os.environ["RANK"], int(os.environ["WORLD_SIZE"])
print("rank", rank, "of", size, *sys.argv[1:])
open(f"was-here-{rank}", "w").close()
while not all(os.path.exists(f"was-here-{one}") for one in range(size)):
    time.sleep(0.05)
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home in which Corral runs, with this machine as its node."""
    place = tmp_path_factory.mktemp("run") / "home"
    cli = cli_of(place)
    try:
        done = cli("up")
        assert done.returncode == 0, done.stderr
        yield place
    finally:
        cli("down")


@pytest.fixture
def cli(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line in a folder of the test's own, in which scripts are written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    return cli_of(home)


def write(**texts: str) -> None:
    for name, text in texts.items():
        path = Path(name.replace("__", "/") + ".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def job_in(done: "CompletedProcess[str]") -> str:
    """Returns the name of the job that a command has made."""
    made = next(line for line in done.stderr.splitlines() if line.endswith(" created"))
    return made.removesuffix(" created").rpartition("/")[2]


def test_a_script_runs_here_and_everything_behind_it_is_its_own(cli: Cli, tmp_path: Path) -> None:
    write(hello="import os, sys\nprint(sys.prefix, os.getcwd())\nprint(sys.argv[1:])\n")
    words = ["--epochs", "3", "--help", "--debug", "-n", "x", "-o", "json", "$(HOME)", "a 'b\""]
    done = cli("run", "hello.py", *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{sys.prefix} {tmp_path}\n{words}\n"
    assert "note: hello.py imports no framework that is known; it runs as a plain process" in done.stderr
    name = job_in(done)
    assert name.startswith("hello-")
    assert done.stderr.splitlines()[-1].startswith(f"{name} succeeded after ")


def test_a_script_that_is_not_there_is_told_what_is(cli: Cli) -> None:
    write(train="print(1)")
    for word in ("trian.py", "train"):
        refused = cli("run", word)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.splitlines()[-1] == 'hint: did you mean "train.py"?'
    assert cli("run", "other.py").stderr.splitlines()[-1].startswith("hint: scripts are looked for in this folder, ")


def test_a_package_that_is_not_there_is_named_wherever_the_end_is_told(cli: Cli) -> None:
    write(needy="import no_such_package\n")
    missing = "its program found no module no_such_package"
    done = cli("run", "--name", "needy", "needy.py")
    assert done.returncode == 1
    told, hint = done.stderr.splitlines()[-2:]
    assert told.endswith(f" (user): {missing}")
    assert hint.startswith(
        "hint: corral run --python ENVIRONMENT needy.py  (an environment that has no_such_package); "
    )
    shown = cli("get", "needy")
    assert f"Failure:     user: {missing}\n" in shown.stdout
    assert shown.stderr.startswith("hint: corral run --python ENVIRONMENT needy.py")
    why = cli("why", "needy").stdout
    assert f"{missing} and failed with exit code 1 (needy-master-0 on " in why
    assert f"{sys.prefix}/bin/python" in why
    assert "-m pip install no_such_package" in why
    waited = cli("wait", "needy")
    assert (waited.returncode, waited.stderr.splitlines()[0]) == (1, f"error: needy has not succeeded: {missing}")


def test_workers_find_each_other_and_their_lines_are_marked(cli: Cli) -> None:
    write(ranks=RANKS)
    done = cli("run", "--workers", "2", "--framework", "pytorch", "--name", "both", "--env", "A=1", "ranks.py", "x")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["[master-0] rank 0 of 2 x", "[worker-0] rank 1 of 2 x"]
    again = cli("run", "--name", "both", "ranks.py")
    assert again.returncode == 5
    assert "pytorchjob.kubeflow.org/both exists already" in again.stderr


def test_how_a_script_ends_is_how_the_command_ends(cli: Cli) -> None:
    write(bad="import sys\nprint('oops')\nsys.exit(7)\n")
    failed = cli("run", "bad.py")
    assert (failed.returncode, failed.stdout) == (1, "oops\n")
    assert f"{job_in(failed)} failed after " in failed.stderr
    assert cli("run", "--propagate", "bad.py").returncode == 7
    assert cli("run", "-d", "--wait", "--propagate", "bad.py").returncode == 7


def test_how_a_script_ends_is_told_also_when_nobody_reads_what_it_prints(cli: Cli, home: Path) -> None:
    """As in `corral run long.py | head -1`: what it prints is more than a pipe holds."""
    write(long="import sys\nfor _ in range(3000):\n    print('x' * 200, flush=True)\nsys.exit(7)\n")
    words = [sys.executable, "-m", "corral", "run", "--propagate", "long.py"]
    command = subprocess.Popen(words, env=private_environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert command.stdout is not None
    assert command.stderr is not None
    assert command.stdout.readline() == b"x" * 200 + b"\n"
    command.stdout.close()
    told = command.stderr.read().decode()
    command.stderr.close()
    assert command.wait(60) == 7
    assert "note: nobody reads the output any more" in told
    assert " failed after " in told.splitlines()[-2]


def test_code_can_be_sent_along_with_its_folders(cli: Cli) -> None:
    write(uses="import os\nfrom nets.small import VALUE\nprint(VALUE, os.getcwd())\n", nets__small="VALUE = 42\n")
    Path("data.bin").write_bytes(b"\0\1")
    done = cli("run", "--code", "configmap", "uses.py")
    assert (done.returncode, done.stdout) == (0, "42 /corral/code\n"), done.stderr
    assert "note: 2 files of code (1 KiB) go along" in done.stderr
    assert "note: left out, since they are large or no text: data.bin (1 KiB)" in done.stderr
    name = job_in(done).removesuffix("-code")
    owner = json.loads(cli("get", "configmap", f"{name}-code", "-o", "json").stdout)["metadata"]["ownerReferences"][0]
    assert (owner["kind"], owner["name"]) == ("PyTorchJob", name)


def test_a_job_can_be_left_alone(cli: Cli) -> None:
    write(hello="print('hello')\n")
    done = cli("run", "-d", "hello.py")
    assert done.returncode == 0
    name = done.stdout.removesuffix(" created\n").rpartition("/")[2]
    assert f"corral logs -f {name}" in done.stderr
    quiet = cli("run", "-q", "hello.py")
    assert quiet.stdout.startswith("hello-")
    for one in (name, quiet.stdout.strip()):
        assert cli("wait", one, "--timeout", "60s").returncode == 0


def test_who_interrupts_detaches_and_the_job_goes_on(cli: Cli, home: Path) -> None:
    write(slow="import time\nprint('here')\ntime.sleep(600)\n")
    with Running(home, "run", "--name", "slow", "slow.py") as running:
        running.wait_line("here")
        running.process.send_signal(signal.SIGINT)
        status, told = running.end()
    assert status == 130
    assert "detached; slow goes on\nhint: `corral logs -f slow` follows it again, `corral delete slow` ends it" in told
    assert json.loads(cli("get", "slow", "-o", "json").stdout)["status"]["replicaStatuses"]["Master"]["active"] == 1
    assert cli("delete", "slow").returncode == 0


@pytest.mark.parametrize(
    ("words", "want", "hint"),
    [
        (["gone.py"], "gone.py cannot be read: No such file or directory", ""),
        (["train.sh"], "train.sh is no Python script", "`corral submit` runs any command"),
        (["broken.py"], "broken.py, line 1: this is no Python", "--framework says what it is for"),
        (["--workers", "2", "plain.py"], "plain.py imports no framework that is known", "--framework pytorch"),
        (["--framework", "caffe", "plain.py"], 'there is no framework "caffe"', "frameworks are pytorch"),
        (["--workers", "0", "plain.py"], "invalid value for '--workers'", "corral run --help"),
        (["--name", "Up", "plain.py"], "'Up' cannot be a name", ""),
        (["--cpu", "many", "plain.py"], "--cpu: ", ""),
        (["--env", "A", "plain.py"], "A", "--help, before the script"),
        (["--python", "nowhere", "plain.py"], "nowhere is neither a python nor an environment", ""),
        (["--python", "x", "--image", "y", "plain.py"], "--image brings a python of its own", ""),
        (["--framework", "jax", "--nproc-per-node", "2", "plain.py"], "start their processes themselves", ""),
        (["-d", "--propagate", "plain.py"], "--propagate is about waiting", "add --wait"),
        ([], "missing argument", ""),
    ],
)
def test_what_cannot_be_run_is_refused_and_nothing_is_made(cli: Cli, words: list[str], want: str, hint: str) -> None:
    write(plain="print(1)\n", broken="print 1\n")
    before = cli("get", "pytorchjobs", "-o", "name").stdout
    done = cli("run", *words)
    assert (done.returncode, done.stdout) == (2, "")
    error, *rest = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
    assert error.startswith("error: ")
    assert want in error
    assert hint in " ".join(rest)
    assert cli("get", "pytorchjobs", "-o", "name").stdout == before


def test_a_cluster_needs_an_image_and_gets_the_code(cli: Cli, tmp_path: Path) -> None:
    write(train="import torch\n", nets__small="VALUE = 42\n")
    config = {
        "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c"}}],
    }
    Path("cluster.yaml").write_text(json.dumps(config))
    words = ["run", "--kubeconfig", "cluster.yaml", "--dry-run=client", "-o", "json"]
    refused = cli(*words, "train.py")
    assert refused.returncode == 2
    assert json.loads(refused.stderr)["error"]["code"] == "no-image"
    done = cli(*words, "--image", "my/torch:1", "--workers", "2", "train.py", "--lr", "1")
    assert done.returncode == 0, done.stderr
    job, code = json.loads(done.stdout)["items"]
    trainer = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    assert (trainer["image"], trainer["command"]) == ("my/torch:1", ["python", "train.py", "--lr", "1"])
    assert set(code["data"]) == {"cluster.yaml", "nets__small.py", "train.py"}
    big = "#" * (500 * 1024)
    write(big1=big, big2=big)
    large = cli(*words, "--image", "my/torch:1", "train.py")
    assert large.returncode == 2
    assert "the largest files: big1.py (500 KiB), big2.py (500 KiB)" in json.loads(large.stderr)["error"]["message"]


def test_the_environment_of_the_caller_says_which_python_it_is(home: Path, cli: Cli, tmp_path: Path) -> None:
    write(train="import jax\n")
    program = tmp_path / "other" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.symlink_to(sys.executable)
    assert private_environment(home)["VIRTUAL_ENV"] == sys.prefix
    done = cli("run", "--dry-run=client", "-o", "json", "train.py", VIRTUAL_ENV=str(tmp_path / "other"))
    trainer = json.loads(done.stdout)["spec"]["jaxReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    assert trainer["command"] == [str(program), "train.py"]


def test_a_script_waits_in_a_queue_and_says_how_long_it_runs(cli: Cli) -> None:
    write(train="print(1)\n")
    done = cli("run", "--queue", "vision", "--run-time", "90m", "--dry-run=client", "-o", "json", "train.py")
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)
    template = job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]
    for metadata in (job["metadata"], template["metadata"]):
        assert metadata["labels"]["corral.dev/queue"] == "vision"
        assert metadata["annotations"]["corral.dev/run-time"] == "5400s"
    assert template["spec"]["schedulerName"] == "corral-scheduler"
    wrong = cli("run", "--queue", "Vision_1", "--dry-run=client", "train.py")
    assert wrong.returncode == 2
    assert "--queue: 'Vision_1'" in wrong.stderr
