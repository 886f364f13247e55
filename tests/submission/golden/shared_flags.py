"""The flags that every type has, on every type: the common table of Arena, row by row.

Choices where Arena's tables are silent:
- What must hold for a pod to be placed and started (image and pull secrets, tolerations, priority, scheduler, host
  namespaces, labels, annotations, variables, working directory) holds for every role, the launcher of MPI too.
- GPUs, devices, RDMA, claims, directories, files, code and gang labels belong to the roles that train; a launcher has none.
- `--retry` is `runPolicy.backoffLimit` on every type, also where Arena drops it.
- Host network comes with the DNS policy that keeps names of services resolvable.
- A claim is mounted once for each `--data`; which volume carries it is nobody's business.
- A code directory and a relative command only meet when the container starts in the working directory, so it does.
- Labels of coscheduling count what Arena counts: all pods that train. `schedulingPolicy.minAvailable` is there as well.
- Registering a model needs the model hub, which is not there: refused, with what brings it.
"""

from collections.abc import Callable, Iterator
from typing import Any

from tests.submission.golden.facts import EMPTY, PRESENT, Fact, JobType, Row, Same, Says, Values
from tests.submission.golden.job_types import CONTAINERS, DEFAULT_DIR, JOB_TYPES
from tests.submission.golden.paths import ABSENT

GANG = "pod-group.scheduling.sigs.k8s.io"
_Told = Callable[[JobType], tuple[Fact, ...]]


def _every(tell: Callable[[Any], Fact | tuple[Fact, ...]]) -> _Told:
    """Returns facts that hold for all roles."""
    return lambda job: tuple(_listed(tell(role) for role in job.roles))


def _trainers(tell: Callable[[Any], Fact | tuple[Fact, ...]]) -> _Told:
    """Returns facts that hold for the roles that train."""
    return lambda job: tuple(_listed(tell(role) for role in job.trains))


def _listed(told: Any) -> Iterator[Fact]:
    for one in told:
        if isinstance(one[0], str):
            yield one
        else:
            yield from one


def _plain(job: JobType) -> tuple[Fact, ...]:
    """What every job is, without any flag but the necessary ones."""
    return (
        job.job("apiVersion", "kubeflow.org/v1"),
        job.job("metadata.name", "j"),
        *(role.box("name", CONTAINERS[job.kind]) for role in job.roles),
        *(role.pod("containers[1]", ABSENT) for role in job.roles),
        *(role.box("image", "repo/i:1") for role in job.roles),
        *(role.box("imagePullPolicy", "Always") for role in job.roles),
        job.leads.box("command", ["sh", "-c", "python train.py"]),
        *(fact for role in job.trains for fact in (role.env("workers", "2"), role.env("gpus", "0"))),
        *(role.env("NVIDIA_VISIBLE_DEVICES", "void") for role in job.trains),
        *(role.unlimited("nvidia.com/gpu") for role in job.trains),
        *(role.pod("hostNetwork", ABSENT) for role in job.roles),
        *(role.pod("initContainers", ABSENT) for role in job.roles),
        ("Deployment", "metadata.name", ABSENT),
        ("ConfigMap", "metadata.name", ABSENT),
    )


def _gang(job: JobType) -> tuple[Fact, ...]:
    first = job.trains[0]
    name = f"{first.path}.template.metadata.labels[{GANG}/name]"
    return (
        *(role.template(f"labels[{GANG}/name]", Same(name)) for role in job.trains),
        *(role.template(f"labels[{GANG}/min-available]", "2") for role in job.trains),
        job.job("spec.runPolicy.schedulingPolicy.minAvailable", PRESENT),
    )


def _synced(mode: str, *words: str, folder: str = DEFAULT_DIR) -> _Told:
    return _trainers(
        lambda role: (
            role.pod("initContainers[name=init-code].command[0]", mode),
            role.init_says(*words),
            role.mounts("emptyDir={}", f"{folder}/code"),
            role.box("workingDir", folder),
        )
    )


def _board(job: JobType, *facts: Fact) -> tuple[Fact, ...]:
    return (
        ("Deployment", "metadata.name", "j-tensorboard"),
        ("Service", "metadata.name", "j-tensorboard"),
        ("Deployment", "spec.template.spec.containers[0]", Says(("tensorboard", "--logdir"))),
        *facts,
    )


def _board_in_claim(job: JobType) -> tuple[Fact, ...]:
    claim = "spec.template.spec.volumes[persistentVolumeClaim.claimName=logs].name"
    mount = "spec.template.spec.containers[0].volumeMounts[mountPath=/claim].name"
    return _board(
        job,
        ("Deployment", "spec.template.spec.containers[0]", Says(("/claim/run-1",))),
        ("Deployment", mount, Same(claim)),
        *(role.mounts("persistentVolumeClaim.claimName=logs", "/claim") for role in job.trains),
        *(role.pod("volumes[*].hostPath", ABSENT) for role in job.trains),
    )


def _board_on_host(job: JobType) -> tuple[Fact, ...]:
    return _board(
        job,
        ("Deployment", "spec.template.spec.containers[0]", Says(("/training_logs",))),
        ("Deployment", "spec.template.spec.volumes[*].hostPath.path", PRESENT),
        *(role.pod("volumes[*].hostPath.path", PRESENT) for role in job.trains),
        *(role.box("volumeMounts[mountPath=/training_logs].name", PRESENT) for role in job.trains),
    )


SHARED: dict[str, tuple[str, _Told]] = {
    "nothing but what is necessary": ("", _plain),
    "values behind a blank": (
        "--gpus 1 --image-pull-policy IfNotPresent",
        _every(lambda role: role.box("imagePullPolicy", "IfNotPresent")),
    ),
    "gpus are a limit": (
        "--gpus=2",
        _trainers(
            lambda role: (
                role.limit("nvidia.com/gpu", "2"),
                role.env("gpus", "2"),
                role.env("NVIDIA_VISIBLE_DEVICES", ABSENT),
            )
        ),
    ),
    "other devices": (
        "--device=amd.com/gpu=2 --device aliyun.com/gpu-mem=8",
        _trainers(
            lambda role: (
                role.limit("amd.com/gpu", "2"),
                role.limit("aliyun.com/gpu-mem", "8"),
                role.unlimited("nvidia.com/gpu"),
            )
        ),
    ),
    "retries": ("--retry=3", lambda job: (job.job("spec.runPolicy.backoffLimit", 3),)),
    "secrets for pulling": (
        "--image-pull-secret=one --image-pull-secret two",
        _every(lambda role: role.pod("imagePullSecrets", [{"name": "one"}, {"name": "two"}])),
    ),
    "a policy for pulling": ("--image-pull-policy=Never", _every(lambda role: role.box("imagePullPolicy", "Never"))),
    "variables": (
        "--env=A=1 -e B=2 --env C=3",
        _every(lambda role: (role.env("A", "1"), role.env("B", "2"), role.env("C", "3"))),
    ),
    "variables with commas, blanks, quotes and signs of equality": (
        """--env=LIST=a,b,c -e 'SAID=he said "yes, all"' --env "KEYS=x=1,y=2" --env=NONE= -e 'IT={{7*7}} $HOME;`id`' """,
        _every(
            lambda role: (
                role.env("LIST", "a,b,c"),
                role.env("SAID", 'he said "yes, all"'),
                role.env("KEYS", "x=1,y=2"),
                role.env("NONE", EMPTY),
                role.env("IT", "{{7*7}} $HOME;`id`"),
            )
        ),
    ),
    "the last of two variables of one name counts": ("--env A=1 --env A=2", _every(lambda role: role.env("A", "2"))),
    "claims": (
        "--data=images:/images -d labels:/mnt/labels",
        _trainers(
            lambda role: (
                role.mounts("persistentVolumeClaim.claimName=images", "/images"),
                role.mounts("persistentVolumeClaim.claimName=labels", "/mnt/labels"),
            )
        ),
    ),
    "directories of the node": (
        "--data-dir=/srv/data --data-dir /srv/models:/models",
        _trainers(
            lambda role: (
                role.mounts("hostPath.path=/srv/data", "/srv/data"),
                role.mounts("hostPath.path=/srv/models", "/models"),
            )
        ),
    ),
    "a directory of the node, as it was spelt": (
        "--dataDir=/srv/data:/data",
        _trainers(lambda role: role.mounts("hostPath.path=/srv/data", "/data")),
    ),
    "local files": (
        "--config-file=settings.ini:/etc/app/settings.ini --config-file hosts.txt:/etc/app/hosts",
        lambda job: (
            ("ConfigMap", "metadata.name", "j-files"),
            ("ConfigMap", "data", Values(("lr = 0.1\n", "a\nb\n"))),
            *(role.mounts("configMap.name=j-files", "/etc/app/settings.ini") for role in job.trains),
            *(role.mounts("configMap.name=j-files", "/etc/app/hosts") for role in job.trains),
            *(role.box("volumeMounts[mountPath=/etc/app/hosts].subPath", PRESENT) for role in job.trains),
        ),
    ),
    "annotations": (
        "--annotation=team=vision -a note=a=b,c",
        lambda job: (
            job.job("metadata.annotations.team", "vision"),
            job.job("metadata.annotations.note", "a=b,c"),
            *(role.template("annotations.team", "vision") for role in job.roles),
        ),
    ),
    "labels": (
        "--label=team=vision -l example.com/stage=try",
        lambda job: (
            job.job("metadata.labels.team", "vision"),
            job.job("metadata.labels[example.com/stage]", "try"),
            *(role.template("labels.team", "vision") for role in job.roles),
            *(role.template("labels[example.com/stage]", "try") for role in job.roles),
        ),
    ),
    "rdma": (
        "--rdma",
        _trainers(
            lambda role: (role.limit("rdma/hca", "1"), role.box("securityContext.capabilities.add", ["IPC_LOCK"]))
        ),
    ),
    "a gang": ("--gang", _gang),
    "a gang that is not one": (
        "--gang=false",
        lambda job: (
            *(role.template(f"labels[{GANG}/name]", ABSENT) for role in job.trains),
            job.job("spec.runPolicy.schedulingPolicy.minAvailable", ABSENT),
        ),
    ),
    "a priority": ("--priority=high", _every(lambda role: role.pod("priorityClassName", "high"))),
    "a priority, in short": ("-p low", _every(lambda role: role.pod("priorityClassName", "low"))),
    "a queue": ("--queue", lambda job: (job.job("metadata.annotations[scheduling.x-k8s.io/suspend]", "true"),)),
    "a queue by name": (
        "--queue research",
        lambda job: (
            job.job("metadata.labels[corral.dev/queue]", "research"),
            job.job("metadata.annotations[scheduling.x-k8s.io/suspend]", ABSENT),
            *(role.template("labels[corral.dev/queue]", "research") for role in job.roles),
            *(role.pod("schedulerName", "corral-scheduler") for role in job.roles),
        ),
    ),
    "a queue, and who looks after it": (
        "--queue=research --scheduler=mine",
        _every(lambda role: role.pod("schedulerName", "mine")),
    ),
    "a queue without a name, before another flag": (
        "--queue --gang=false",
        lambda job: (job.job("metadata.annotations[scheduling.x-k8s.io/suspend]", "true"),),
    ),
    "no queue": ("--queue=false", lambda job: (job.job("metadata.annotations[scheduling.x-k8s.io/suspend]", ABSENT),)),
    "a run time": (
        "--run-time 1h30m",
        lambda job: (
            job.job("metadata.annotations[corral.dev/run-time]", "5400s"),
            *(role.template("annotations[corral.dev/run-time]", "5400s") for role in job.roles),
        ),
    ),
    "a queue of Kueue": (
        "--queue-name=research",
        lambda job: (
            job.job("metadata.labels[kueue.x-k8s.io/queue-name]", "research"),
            job.job("metadata.annotations[scheduling.x-k8s.io/suspend]", ABSENT),
        ),
    ),
    "a scheduler": ("--scheduler=volcano", _every(lambda role: role.pod("schedulerName", "volcano"))),
    "all taints": ("--toleration=all", _every(lambda role: role.pod("tolerations", [{"operator": "Exists"}]))),
    "taints": (
        "--toleration=gpu=true:NoSchedule,Equal --toleration pool=:NoExecute,Exists",
        _every(
            lambda role: (
                role.pod(
                    "tolerations[0]", {"key": "gpu", "value": "true", "effect": "NoSchedule", "operator": "Equal"}
                ),
                role.pod("tolerations[1].key", "pool"),
                role.pod("tolerations[1].operator", "Exists"),
                role.pod("tolerations[1].effect", "NoExecute"),
                role.pod("tolerations[1].value", EMPTY),
            )
        ),
    ),
    "nodes": (
        "--selector=disk=ssd --selector example.com/zone=a",
        _trainers(lambda role: (role.pod("nodeSelector.disk", "ssd"), role.pod("nodeSelector[example.com/zone]", "a"))),
    ),
    "a directory to start in": ("--working-dir=/opt/train", _every(lambda role: role.box("workingDir", "/opt/train"))),
    "a directory to start in, as it was spelt": (
        "--workingDir /opt/train",
        _every(lambda role: role.box("workingDir", "/opt/train")),
    ),
    "another shell": ("--shell=bash", lambda job: (job.leads.box("command", ["bash", "-c", "python train.py"]),)),
    "the node's network": (
        "--hostNetwork",
        _every(lambda role: (role.pod("hostNetwork", True), role.pod("dnsPolicy", "ClusterFirstWithHostNet"))),
    ),
    "the node's other namespaces": (
        "--hostIPC=true --hostPID",
        _every(lambda role: (role.pod("hostIPC", True), role.pod("hostPID", True))),
    ),
    "code from git": (
        "--sync-mode=git --sync-source=https://example.com/team/models.git --env GIT_SYNC_USERNAME=me",
        lambda job: (
            *_synced("git", "clone", "https://example.com/team/models.git", "/models")(job),
            *(
                role.pod("initContainers[name=init-code].env[name=GIT_SYNC_USERNAME].value", "me")
                for role in job.trains
            ),
        ),
    ),
    "code from a branch and a revision": (
        "--syncMode=git --syncSource=https://example.com/models.git --syncImage=repo/git:2 --env=GIT_SYNC_BRANCH=next -e GIT_SYNC_REV=4f2a",
        lambda job: (
            *_synced("git", "clone", "next", "4f2a")(job),
            *(role.pod("initContainers[name=init-code].image", "repo/git:2") for role in job.trains),
        ),
    ),
    "code by rsync": (
        "--sync-mode rsync --sync-source 10.0.0.8::backup/train --sync-image repo/rsync:3 --working-dir /opt",
        lambda job: (
            *_synced("rsync", "10.0.0.8::backup/train", folder="/opt")(job),
            *(role.pod("initContainers[name=init-code].image", "repo/rsync:3") for role in job.trains),
        ),
    ),
    "a TensorBoard beside it": ("--tensorboard", _board_on_host),
    "a TensorBoard over a claim": ("--tensorboard --logdir=/claim/run-1 --data=logs:/claim", _board_in_claim),
    "a TensorBoard of another image": (
        "--tensorboard --tensorboard-image=repo/tb:2",
        lambda job: _board(job, ("Deployment", "spec.template.spec.containers[0].image", "repo/tb:2")),
    ),
    "a TensorBoard of another image, as it was spelt": (
        "--tensorboard --tensorboardImage repo/tb:1",
        lambda job: _board(job, ("Deployment", "spec.template.spec.containers[0].image", "repo/tb:1")),
    ),
    "no TensorBoard": ("--tensorboard=false", lambda job: (("Deployment", "metadata.name", ABSENT),)),
}


def shared_rows() -> dict[str, Row]:
    """Returns a row for each flag and type; every type word and alias has its turn."""
    rows: dict[str, Row] = {}
    for job in JOB_TYPES:
        words = (job.word, *job.aliases)
        for turn, (key, (flags, told)) in enumerate(SHARED.items()):
            word = words[turn % len(words)]
            line = f"arena submit {word} --name=j --image=repo/i:1 --workers=2 {flags} 'python train.py'"
            rows[f"{job.word}: {key}"] = Row(line, told(job))
    return rows
