"""Command lines that must be refused: status 2, one line that says what is wrong, and nothing sent.

Numbers in comments are those of the list of bad inputs. What Arena drops silently (a toleration that it cannot read, a
variable without a sign of equality) is refused here, and so is what it takes and nobody could honour.
"""

from tests.submission.golden.facts import Refusal
from tests.submission.golden.job_types import JOB_TYPES

_TF = "arena submit tfjob --name=j --image=i --workers=2"
_TORCH = "arena submit pytorchjob --name=j --image=i --workers=2"
_MPI = "arena submit mpijob --name=j --image=i --workers=2"
_ET = "arena submit etjob --name=j --image=i --workers=2"
_RUN = "'python train.py'"

KINDS: dict[str, Refusal] = {
    f"{word} is of another system": Refusal(f"arena submit {word} --name=j {_RUN}", (system,))
    for words, system in (
        (("sparkjob", "spark"), "park"),
        (("volcanojob", "vj"), "olcano"),
        (("rayjob", "rj"), "ay"),
    )
    for word in words
}

NAMES: dict[str, Refusal] = {
    f"the name {shown}": Refusal(f"arena submit tfjob --name={quoted} --image=i {_RUN}", ("name",))
    for shown, quoted in (
        ("is empty", "''"),  # 1
        ("is too long", "a" * 64),  # 2
        ("looks like a flag", "-rf"),  # 3
        ("has a semicolon", "'a;touch x'"),  # 4
        ("has a substitution", "'$(id)'"),  # 5
        ("has backticks", "'`id`'"),  # 6
        ("has a pipe", "'a|b'"),  # 7
        ("has a new line", "'a\nb'"),  # 8
        ("goes up", "../a"),  # 10
        ("has upper case", "A_B"),  # 11
        ("has an emoji", "a\N{FIRE}b"),  # 12
        ("turns its direction", "a\N{RIGHT-TO-LEFT OVERRIDE}b"),  # 12
        ("is a homoglyph", "m\N{CYRILLIC SMALL LETTER A}del"),  # 13
        ("is a template", "'{{.Values.x}}'"),  # 14
        ("is percent-encoded", "a%2e%2eb"),  # 15
        ("steers a terminal", "'a\x1b]0;x'"),  # 16
        ("has a dot", "a.b"),
        ("ends with a dash", "a-"),
    )
}

VALUES: dict[str, Refusal] = {
    "no name of a queue": Refusal(f"{_TF} --queue Team_A {_RUN}", ("--queue", "Team_A")),
    "no name": Refusal(f"arena submit tfjob --image=i {_RUN}", ("--name",)),
    "no image": Refusal(f"arena submit pytorchjob --name=j {_RUN}", ("--image",)),
    "an unknown flag": Refusal(f"{_TF} --worker 3 {_RUN}", ("--worker", "--workers")),
    "an unknown type": Refusal(f"arena submit tfjbo --name=j --image=i {_RUN}", ("tfjob",)),
    "a flag of another type": Refusal(f"{_TORCH} --ps=1 {_RUN}", ("--ps",)),
    "workers below nothing": Refusal(f"{_TF} --workers=-1 {_RUN}", ("--workers",)),  # 21
    "a gang of nobody": Refusal(f"{_TORCH} --workers=0 --gang {_RUN}", ("--workers",)),  # 22
    "more workers than there are": Refusal(f"{_TF} --workers=1000000000 {_RUN}", ("--workers",)),  # 23
    "half a GPU": Refusal(f"{_TF} --gpus=0.5 {_RUN}", ("--gpus",)),  # 24
    "no number of GPUs": Refusal(f"{_TF} --gpus=NaN {_RUN}", ("--gpus",)),  # 25
    "GPUs below nothing": Refusal(f"{_TF} --gpus=-1 {_RUN}", ("--gpus",)),
    "memory beyond measure": Refusal(f"{_TORCH} --memory=1e309Gi {_RUN}", ("--memory",)),  # 26
    "processors in another base": Refusal(f"{_TORCH} --cpu=0x10 {_RUN}", ("--cpu",)),  # 27
    "processors in words": Refusal(f"{_TF} --worker-cpu=many {_RUN}", ("--worker-cpu",)),
    "memory below nothing": Refusal(f"{_TORCH} --memory=-1Gi {_RUN}", ("--memory",)),
    "a priority that is no name": Refusal(f"{_TF} --priority=High_One {_RUN}", ("--priority",)),
    "bounds the wrong way round": Refusal(f"{_ET} --min-workers=5 --max-workers=2 {_RUN}", ("workers",)),  # 29
    "fewer workers than the bound": Refusal(f"{_ET} --min-workers=5 {_RUN}", ("workers",)),
    "a time below nothing": Refusal(f"{_TORCH} --running-timeout=-5s {_RUN}", ("--running-timeout",)),  # 30
    "a time that is none": Refusal(f"{_TORCH} --ttl-after-finished=99:99 {_RUN}", ("--ttl-after-finished",)),  # 32
    "a port that is none": Refusal(f"{_TF} --worker-port=70000 {_RUN}", ("--worker-port",)),  # 31
    "a label that is too long": Refusal(f"{_TF} --label=a={'x' * 64} {_RUN}", ("--label",)),  # 19
    "a label with two slashes": Refusal(f"{_TF} --label=x/y/z=1 {_RUN}", ("--label",)),  # 20
    "a label without a value": Refusal(f"{_TF} --label=team {_RUN}", ("--label",)),
    "an annotation without a value": Refusal(f"{_TF} --annotation=note {_RUN}", ("--annotation",)),
    "a variable without a value": Refusal(f"{_TF} --env=ALONE {_RUN}", ("--env", "ALONE")),
    "a variable without a name": Refusal(f"{_TF} --env==1 {_RUN}", ("--env",)),
    "a claim without a path": Refusal(f"{_TF} --data=images {_RUN}", ("--data", "images")),
    "a claim at no absolute path": Refusal(f"{_TF} --data=images:there {_RUN}", ("--data", "images")),
    "a claim with a bad name": Refusal(f"{_TF} --data=My_Claim:/images {_RUN}", ("--data", "My_Claim")),
    "two claims at one path": Refusal(f"{_TF} --data=a:/x --data=b:/x {_RUN}", ("/x",)),
    "a directory that is not absolute": Refusal(f"{_TF} --data-dir=there {_RUN}", ("--data-dir",)),
    "a file that is not there": Refusal(f"{_TF} --config-file=nowhere.ini:/etc/x {_RUN}", ("nowhere.ini",)),
    "a file at no absolute path": Refusal(f"{_TF} --config-file=settings.ini:there {_RUN}", ("--config-file",)),
    "a toleration without an effect": Refusal(f"{_TF} --toleration=gpu=true {_RUN}", ("--toleration", "gpu=true")),
    "a toleration of an unknown effect": Refusal(f"{_TF} --toleration=a=b:Never,Equal {_RUN}", ("--toleration",)),
    "a toleration of an unknown operator": Refusal(f"{_TF} --toleration=a=b:NoSchedule,Is {_RUN}", ("--toleration",)),
    "a selector without a value": Refusal(f"{_TF} --selector=disk {_RUN}", ("--selector", "disk")),
    "a device without a number": Refusal(f"{_TF} --device=amd.com/gpu {_RUN}", ("--device",)),
    "a device that has a flag": Refusal(f"{_TF} --device=nvidia.com/gpu=1 {_RUN}", ("--gpus",)),
    "a policy that is none": Refusal(f"{_TF} --clean-task-policy=Some {_RUN}", ("--clean-task-policy",)),
    "a policy for pulling that is none": Refusal(f"{_TF} --image-pull-policy=Often {_RUN}", ("--image-pull-policy",)),
    "a success that is none": Refusal(f"{_TF} --success-policy=Any {_RUN}", ("--success-policy",)),
    "an order of roles, which only Arena's operator keeps": Refusal(
        f"{_TF} --role-sequence=Worker,PS,Chief,Evaluator {_RUN}", ("--role-sequence",)
    ),
    "an order of roles in letters": Refusal(f"{_TF} --role-sequence w,p,c,e {_RUN}", ("--role-sequence",)),
    "a time to wait, which only Arena's operator keeps": Refusal(
        f"{_TF} --starting-timeout=5m {_RUN}", ("--starting-timeout", "--running-timeout")
    ),
    "spot instances, which only Arena's supervisor knows": Refusal(
        f"{_ET} --spot-instance {_RUN}", ("--spot-instance", "--annotation", "--min-workers")
    ),
    "a time to wait for spot instances": Refusal(
        f"{_ET} --max-wait-time=600 {_RUN}", ("--max-wait-time", "--annotation")
    ),
    "processes that are none": Refusal(f"{_TORCH} --nproc-per-node=some {_RUN}", ("--nproc-per-node",)),
    "shared memory that is none": Refusal(f"{_TORCH} --share-memory=big {_RUN}", ("--share-memory",)),
    "an affinity that is none": Refusal(f"{_TF} --worker-affinity-policy=near {_RUN}", ("--worker-affinity-policy",)),
    "a restart that is none": Refusal(f"{_ET} --job-restart-policy=Always {_RUN}", ("--job-restart-policy",)),
    "code from hdfs": Refusal(f"{_TF} --sync-mode=hdfs --sync-source=hdfs://x/y {_RUN}", ("hdfs",)),
    "code from nowhere": Refusal(f"{_TF} --sync-mode=git {_RUN}", ("--sync-source",)),
    "code in no way": Refusal(f"{_TF} --sync-source=https://example.com/x.git {_RUN}", ("--sync-mode",)),
    "code from what git takes for a flag": Refusal(
        f"{_TF} --sync-mode=git --sync-source=--upload-pack=touch {_RUN}", ("--sync-source",)
    ),
    "a switch with a value that is none": Refusal(f"{_MPI} --gputopology=maybe {_RUN}", ("--gputopology",)),
    "flags of the command without a separator": Refusal(f"{_TF} python train.py --epochs=3", ("--epochs",)),
    "a directory to start in that is not absolute": Refusal(f"{_TF} --working-dir=here {_RUN}", ("--working-dir",)),
}

HUB: dict[str, Refusal] = {
    f"{job.word}: {key}": Refusal(f"arena submit {job.word} --name=j --image=i {flags} {_RUN}", ("--model-name",))
    for job in JOB_TYPES
    for key, flags in (
        ("a model to register", "--model-name=m --model-source=s3://bucket/m"),
        ("a model from nowhere", "--model-name=m"),
    )
}

REFUSALS: dict[str, Refusal] = {**KINDS, **NAMES, **VALUES, **HUB}
