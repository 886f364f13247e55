"""`corral cron`: making, showing, suspending, resuming and deleting, with Arena's command lines, columns and words."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import yaml

from corral.kinds.cron.cron import CRON
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import CONFIG_MAP, DEPLOYMENT
from corral.ports.object_store import Patch, Scope
from corral.testing.hollow_node import Part
from tests.surfaces.conftest import private_environment
from tests.surfaces.hollow_stage import HollowStage, hollow_stage, until

PYTORCH = ApiResource("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs")
STAYS = ("--annotation", 'hollow.corral.dev/part={"seconds":null}')
LONG_AGO = "2020-01-01T00:00:30Z"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("stage") / "a home") as made:
        yield made


def made(stage: HollowStage, name: str, *words: str, schedule: str = "@yearly") -> None:
    done = stage.cli("cron", "pytorchjob", "--schedule", schedule, "--name", name, "--image", "none", *words)
    assert done.returncode == 0, done.stderr


def test_a_second_cron_of_a_name_is_told_of_the_first_while_its_job_is_there(stage: HollowStage) -> None:
    made(stage, "minutely", *STAYS, schedule="* * * * *")
    minute = int(time.time()) // 60
    for at in (minute, minute + 1):
        stage.cli("apply", "-f", str(stage.job(f"minutely-{at}", workers=0, master=Part(seconds=None))))
    again = stage.cli("cron", "pytorchjob", "--schedule", "* * * * *", "--name", "minutely", "--image", "none", "true")
    assert "cron.corral.dev/minutely exists already" in again.stderr, again.stderr
    assert "corral cron delete minutely" in again.stderr
    assert stage.cli("cron", "delete", "minutely").returncode == 0
    for at in (minute, minute + 1):
        stage.cli("delete", f"minutely-{at}")


def status(stage: HollowStage, name: str) -> Object:
    return stage.client.get(CRON, ObjectKey("default", name)).get("status") or {}


def killed(pid: int) -> bool:
    """Kills a process of the cluster; False when it is not there, since it is being brought back just now."""
    if pid <= 1:  # 0 would mean this process and its siblings
        return False
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def come(stage: HollowStage, name: str) -> None:
    """Lets the latest time of a cron be due: its timetable is said to be in force since long ago."""
    until(lambda: status(stage, name).get("inForce"), "the timetable in force")
    body = {"status": {"inForce": {"since": LONG_AGO}}}
    stage.client.patch(CRON, ObjectKey("default", name), Patch("merge", body), subresource="status")


def jobs(stage: HollowStage, name: str) -> list[Object]:
    return stage.client.list(PYTORCH, Scope("default", f"corral.dev/cron={name}"))


def test_a_line_of_arena_makes_a_cron_that_is_shown_as_arena_shows_it(stage: HollowStage) -> None:
    """The command line of Arena's manual, and the words that its end-to-end test looks for."""
    done = stage.cli(
        "cron",
        "tfjob",
        "--schedule=0 0 22 * * ?",
        "--concurrency-policy=Allow",
        "--deadline=2031-10-01T13:00:12Z",
        "--history-limit=10",
        "--gpus=1",
        "--name=cron-tfjob",
        "--env=TEST_TMPDIR=code/tensorflow-sample-code/",
        "--sync-mode=git",
        "--sync-source=https://example.com/tensorflow-sample-code.git",
        "--logdir=/training_logs",
        "--image=tensorflow:1.5.0-devel-gpu",
        "python code/tensorflow-sample-code/main.py --max_steps 5000",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "cron.corral.dev/cron-tfjob created\n"
    assert "first job: " in done.stderr
    until(lambda: status(stage, "cron-tfjob").get("conditions"), "a look of the operator")
    assert stage.cli("cron", "list").stdout.splitlines() == [
        "NAME        TYPE   SCHEDULE      SUSPEND  DEADLINE              CONCURRENCYPOLICY",
        "cron-tfjob  TFJob  0 0 22 * * ?  false    2031-10-01T13:00:12Z  Allow",
    ]
    everywhere = stage.cli("cron", "list", "-A").stdout.splitlines()
    assert everywhere[0].split()[:2] == ["NAMESPACE", "NAME"]
    assert everywhere[1].split()[:2] == ["default", "cron-tfjob"]
    story = stage.cli("cron", "get", "cron-tfjob").stdout
    assert story.startswith(
        "Name:               cron-tfjob\n"
        "Namespace:          default\n"
        "Type:               TFJob\n"
        "Schedule:           0 0 22 * * ?\n"
        "Suspend:            false\n"
        "ConcurrencyPolicy:  Allow\n"
    )
    assert story.endswith(
        "History:\nNAME  STATUS  TYPE  CREATETIME  FINISHTIME\n----  ------  ----  ----------  ----------\n"
    )
    assert stage.cli("cron", "suspend", "cron-tfjob").stdout == "cron cron-tfjob suspend success\n"
    assert stage.cli("cron", "list").stdout.splitlines()[1].split()[-3] == "true"
    assert stage.cli("cron", "resume", "cron-tfjob").stdout == "cron cron-tfjob resume success\n"
    assert stage.cli("cron", "delete", "cron-tfjob").stdout == "cron cron-tfjob has deleted\n"
    gone = stage.cli("cron", "list")
    assert (gone.stdout, gone.stderr) == ("", "no crons in namespace default\n")


def test_what_became_of_its_jobs_is_shown(stage: HollowStage) -> None:
    made(stage, "nightly")
    come(stage, "nightly")
    until(lambda: status(stage, "nightly").get("history"), "a job that has ended")
    rows = [line.split() for line in stage.cli("cron", "get", "nightly").stdout.partition("History:\n")[2].splitlines()]
    name = status(stage, "nightly")["history"][0]["name"]
    assert rows[0] == ["NAME", "STATUS", "TYPE", "CREATETIME", "FINISHTIME"]
    assert rows[2][:3] == [name, "Succeeded", "PyTorchJob"]
    assert rows[2][3] <= rows[2][4]
    assert name in stage.cli("list").stdout, "it is a job like any other"
    assert stage.cli("cron", "del", "nightly").returncode == 0
    until(lambda: not jobs(stage, "nightly"), "its jobs to go with it")


def test_jobs_that_go_on_are_shown_with_their_state(stage: HollowStage) -> None:
    made(stage, "running", *STAYS)
    come(stage, "running")
    (run,) = until(lambda: status(stage, "running").get("active"), "a job") or [{}]
    name = run["name"]
    assert stage.cli("wait", name, "--for", "running", "--timeout", "60s").returncode == 0
    row = stage.cli("cron", "get", "running").stdout.splitlines()[-1].split()
    assert row[:3] == [name, "Running", "PyTorchJob"]


def test_the_objects_of_the_api_are_given_in_every_form(stage: HollowStage) -> None:
    made(stage, "forms", "--suspend")
    assert stage.cli("cron", "get", "forms", "-o", "name").stdout == "cron.corral.dev/forms\n"
    assert yaml.safe_load(stage.cli("cron", "get", "forms", "-o", "yaml").stdout)["spec"]["suspend"] is True
    assert stage.cli("cron", "get", "forms", "-o", "jsonpath={.spec.schedule}").stdout == "@yearly"
    listed = json.loads(stage.cli("cron", "list", "-o", "json").stdout)
    assert "forms" in [one["metadata"]["name"] for one in listed["items"]]
    wide = stage.cli("cron", "list", "-o", "wide").stdout.splitlines()[0].split()
    assert wide[6:] == ["STATE", "NEXT", "LAST", "ACTIVE", "MISSED", "TIMEZONE"]
    assert "forms" in stage.cli("get", "crons").stdout
    assert stage.cli("resume", "cron/forms").stdout == "cron.corral.dev/forms resumed\n"


def test_every_flag_of_the_schedule_reaches_the_cron(stage: HollowStage) -> None:
    words = ["--time-zone", "Asia/Shanghai", "--concurrency-policy", "replace", "--suspend=false"]
    words += ["--deadline", "2031-01-01T00:00:00+08:00", "--starting-deadline", "10m", "--history-limit", "3"]
    made(stage, "flags", *words, "--workers", "3", "--set", "spec.runPolicy.backoffLimit=7", "python", "train.py")
    spec = stage.client.get(CRON, ObjectKey("default", "flags"))["spec"]
    job = spec.pop("template")
    assert spec == {
        "schedule": "@yearly",
        "timeZone": "Asia/Shanghai",
        "concurrencyPolicy": "Replace",
        "suspend": False,
        "deadline": "2031-01-01T00:00:00+08:00",
        "startingDeadlineSeconds": 600,
        "historyLimit": 3,
    }
    assert (job["kind"], job["spec"]["runPolicy"]["backoffLimit"]) == ("PyTorchJob", 7)
    assert job["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 2


def test_files_and_tensorboard_belong_to_the_cron_and_serve_all_of_its_jobs(stage: HollowStage) -> None:
    (stage.home / "recipe.txt").write_text("salt")
    words = ["--config-file", f"{stage.home / 'recipe.txt'}:/etc/recipe.txt", "--tensorboard", "--gang"]
    made(stage, "whole", *words)
    uid = stage.client.get(CRON, ObjectKey("default", "whole"))["metadata"]["uid"]
    for resource, name in ((CONFIG_MAP, "whole-files"), (DEPLOYMENT, "whole-tensorboard")):
        found = stage.client.get(resource, ObjectKey("default", name))
        assert [owner["uid"] for owner in found["metadata"]["ownerReferences"]] == [uid]
    term = found["spec"]["template"]["spec"]["affinity"]["podAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]
    assert term[0]["labelSelector"]["matchLabels"]["corral.dev/cron"] == "whole"
    come(stage, "whole")
    (job,) = until(lambda: jobs(stage, "whole"), "a job")
    pod = job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]
    assert pod["metadata"]["labels"]["corral.dev/cron"] == "whole"
    gang = pod["metadata"]["labels"]["pod-group.scheduling.sigs.k8s.io/name"]
    assert gang == f"pytorchjob-{job['metadata']['name']}", "each job is a gang of its own"
    assert stage.cli("cron", "delete", "whole").returncode == 0
    scope = Scope("default", fields="metadata.name=whole-files")
    until(lambda: not stage.client.list(CONFIG_MAP, scope), "what belongs to it to go")


def test_a_dry_run_makes_nothing(stage: HollowStage) -> None:
    words = ["cron", "jaxjob", "--schedule", "@daily", "--name", "dry", "--image", "i", "-o", "json", "train"]
    here = json.loads(stage.cli(*words, "--dry-run=client").stdout)
    there = json.loads(stage.cli(*words, "--dry-run=server").stdout)
    assert (here["kind"], there["spec"]["historyLimit"]) == ("Cron", 10)
    assert stage.cli("cron", "get", "dry").returncode == 3


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["tfjob", "--name", "a", "--image", "b"], 2, "--schedule: a cron needs one"),
        (["tfjob", "--schedule", "* *", "--name", "a", "--image", "b"], 2, "it has 2 fields"),
        (["tfjob", "--schedule", "0 25 * * *", "--name", "a", "--image", "b"], 2, 'the hour "25" is not one'),
        (["tfjob", "--schedule", "@daily", "--image", "b"], 2, "a job needs a name"),
        (["tfjob", "--schedule", "@daily", "--name", "a" * 46, "--image", "b"], 2, "is too long"),
        (["tfjob", "--schedule", "@daily", "--name", "a", "--image", "b", "--time-zone", "Mars"], 2, "no time zone"),
        (["tfjob", "--schedule", "@daily", "--name", "a", "--image", "b", "--deadline", "soon"], 2, "no time"),
        (
            ["tfjob", "--schedule", "@daily", "--name", "a", "--image", "b", "--concurrency-policy", "x"],
            2,
            "none of Allow",
        ),
        (
            ["tfjob", "--schedule", "@daily", "--name", "a", "--image", "b", "--history-limit", "-1"],
            2,
            "no whole number",
        ),
        (
            ["tfjob", "--schedule", "@daily", "--name", "a", "--image", "b", "--history-limit", "5000"],
            2,
            "historyLimit",
        ),
        (["tfjob", "--shedule", "@daily", "--name", "a", "--image", "b"], 2, 'did you mean "--schedule"?'),
        (["sparkjob", "--schedule", "@daily"], 2, "Spark has an operator of its own"),
        (["lst"], 2, 'did you mean "list"?'),
        (["get", "nobody"], 3, 'there is no cron "nobody" in namespace default'),
        (["suspend", "nobody"], 3, 'there is no cron "nobody"'),
        (["delete", "nobody"], 3, 'there is no cron "nobody"'),
    ],
)
def test_bad_lines_are_refused_and_nothing_is_made(stage: HollowStage, words: list[str], code: int, told: str) -> None:
    done = stage.cli("cron", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert stage.client.list(CRON, Scope("default", fields="metadata.name=a")) == []


def test_a_job_that_the_api_would_refuse_is_refused_at_once(stage: HollowStage) -> None:
    """Nobody is there to hear of it at night."""
    wrong = ["--set", "spec.tfReplicaSpecs.Chief.template.spec.containers[0].name=other"]
    done = stage.cli("cron", "tfjob", "--schedule", "@daily", "--name", "early", "--image", "i", *wrong)
    assert done.returncode == 2, done.stdout
    assert "must have at least one container with name tensorflow" in done.stderr
    assert stage.cli("cron", "get", "early").returncode == 3


def test_a_name_that_is_taken_is_told(stage: HollowStage) -> None:
    made(stage, "taken", "--suspend")
    done = stage.cli("cron", "pytorchjob", "--schedule", "@daily", "--name", "taken", "--image", "none")
    assert done.returncode == 5
    assert "cron.corral.dev/taken exists already in namespace default" in done.stderr
    assert "hint: choose another name, or `corral cron delete taken`" in done.stderr


def test_a_cron_that_is_wrong_says_so_in_list_and_get(stage: HollowStage) -> None:
    made(stage, "wrong", "--suspend")
    body = {"spec": {"schedule": "30-10 * * * *", "suspend": False}}
    stage.client.patch(CRON, ObjectKey("default", "wrong"), Patch("merge", body))
    until(lambda: [one["reason"] for one in status(stage, "wrong").get("conditions") or ()] == ["Invalid"], "a verdict")
    why = 'spec.schedule: Invalid value: "30-10 * * * *": the minute "30-10" is not one'
    assert f"note: wrong makes no jobs: {why}\n" in stage.cli("cron", "list").stderr
    assert f"State:              Invalid: {why}\n" in stage.cli("cron", "get", "wrong").stdout


def test_each_time_makes_one_job_however_the_controllers_end(stage: HollowStage) -> None:
    """Invariant R1 on one machine: the supervisor brings the controllers back, and they go on."""
    names = [f"killed-{number}" for number in range(4)]
    for name in names:
        made(stage, name, *STAYS)
    for name in names:
        come(stage, name)
        until(lambda: killed(stage.process_of("controllers")), "the controllers to run, and to be killed")
    until(lambda: all(jobs(stage, name) for name in names), "a job of each")
    assert [len(jobs(stage, name)) for name in names] == [1] * len(names)
    until(lambda: all(status(stage, name).get("lastScheduleTime") for name in names), "all of them told")


def test_crons_are_made_and_shown_without_a_loop(stage: HollowStage) -> None:
    program = (
        "import sys\n"
        "from corral.surfaces.cli.main import run\n"
        "new = 'cron jaxjob --schedule @daily --name light --image i --suspend -- train'.split()\n"
        "print([run(words) for words in (new, ['cron', 'list'], ['cron', 'get', 'light'], ['cron', 'resume', 'light'])])\n"
        "print(sorted({'asyncio', 'aiohttp', 'dataclasses', 'logging', 'rich', 'apsw', 'yaml'} & sys.modules.keys()))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=private_environment(stage.home), capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-2:] == ["[0, 0, 0, 0]", "[]"], done.stderr
