"""`submit tfjob`: its own flags, and what the number of roles does.

Choices where Arena's table is silent:
- One worker without parameter servers is a chief, as in Arena: TF_CONFIG is not needed then, and there is no Worker.
- `--X-cpu` and `--X-memory` are requests, `--X-cpu-limit` and `--X-memory-limit` limits.
- `--success-policy ChiefWorker` is the contract's own default, an empty value.
- Affinity is that of pods to pods of the job, by host name: `spread` keeps them apart, `binpack` together.
- `--starting-timeout` and `--role-sequence` are told to Arena's own operator, by a field and an annotation that nobody else
  reads: they are refused (see `refusals`).
- A port that is not given is left to the operator.
"""

from tests.submission.golden.facts import EMPTY, Row
from tests.submission.golden.job_types import CHIEF, EVALUATOR, PS, WORKER
from tests.submission.golden.paths import ABSENT

_KIND = "TFJob"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_HOST = "kubernetes.io/hostname"
_SHM = "/dev/shm"
_START = "arena submit tfjob --name=t --image=tf:1 --workers=2"

ROWS: dict[str, Row] = {
    "two workers": Row(
        f"{_START} 'python train.py'",
        (
            WORKER.has("replicas", 2),
            CHIEF.gone(),
            PS.gone(),
            EVALUATOR.gone(),
            (_KIND, "spec.runPolicy.cleanPodPolicy", "Running"),
            (_KIND, "spec.successPolicy", EMPTY),
            WORKER.box("ports", ABSENT),
        ),
    ),
    "one worker is a chief": Row(
        "arena submit tf --name=t --image=tf:1 --gpus=1 'python train.py'",
        (
            CHIEF.has("replicas", 1),
            CHIEF.box("command", ["sh", "-c", "python train.py"]),
            CHIEF.limit("nvidia.com/gpu", "1"),
            WORKER.gone(),
            PS.gone(),
        ),
    ),
    "one worker with a parameter server stays a worker": Row(
        "arena submit tf --name=t --image=tf:1 --ps=1 'python train.py'",
        (WORKER.has("replicas", 1), PS.has("replicas", 1), CHIEF.gone()),
    ),
    "every role": Row(
        f"{_START} --ps=3 --chief --evaluator --gpus=1 'python train.py'",
        (
            WORKER.has("replicas", 2),
            PS.has("replicas", 3),
            CHIEF.has("replicas", 1),
            EVALUATOR.has("replicas", 1),
            *(role.box("command", ["sh", "-c", "python train.py"]) for role in (WORKER, PS, CHIEF, EVALUATOR)),
            *(role.box("name", "tensorflow") for role in (WORKER, PS, CHIEF, EVALUATOR)),
            *(role.box("image", "tf:1") for role in (WORKER, PS, CHIEF, EVALUATOR)),
            WORKER.limit("nvidia.com/gpu", "1"),
            CHIEF.limit("nvidia.com/gpu", "1"),
            PS.unlimited("nvidia.com/gpu"),
        ),
    ),
    "switches with values": Row(
        f"{_START} --chief=true --evaluator=false 'python train.py'", (CHIEF.has("replicas", 1), EVALUATOR.gone())
    ),
    "images of roles": Row(
        "arena submit tfjob --name=t --workers=2 --ps=1 --worker-image=w:1 --ps-image=p:1 'python train.py'",
        (WORKER.box("image", "w:1"), PS.box("image", "p:1")),
    ),
    "images of roles, as they were spelt": Row(
        "arena submit tfjob --name=t --workers=2 --ps=1 --workerImage=w:1 --psImage p:1 'python train.py'",
        (WORKER.box("image", "w:1"), PS.box("image", "p:1")),
    ),
    "an image for all but the servers": Row(
        f"{_START} --ps=1 --ps-image=p:1 'python train.py'", (WORKER.box("image", "tf:1"), PS.box("image", "p:1"))
    ),
    "ports": Row(
        f"{_START} --ps=1 --chief --worker-port=20001 --ps-port=20002 --chief-port=20003 'python train.py'",
        tuple(
            role.box("ports[name=tfjob-port].containerPort", port)
            for role, port in ((WORKER, 20001), (PS, 20002), (CHIEF, 20003))
        ),
    ),
    "ports, as they were spelt": Row(
        f"{_START} --ps=1 --chief --workerPort=20001 --psPort=20002 --chiefPort 20003 'python train.py'",
        tuple(
            role.box("ports[name=tfjob-port].containerPort", port)
            for role, port in ((WORKER, 20001), (PS, 20002), (CHIEF, 20003))
        ),
    ),
    "what each role needs": Row(
        f"{_START} --ps=1 --chief --evaluator --worker-cpu=4 --worker-memory=8Gi --ps-cpu=2 --ps-memory=4Gi "
        "--chief-cpu=500m --chief-memory=1Gi --evaluator-cpu=1 --evaluator-memory=512Mi 'python train.py'",
        (
            WORKER.request("cpu", "4"),
            WORKER.request("memory", "8Gi"),
            PS.request("cpu", "2"),
            PS.request("memory", "4Gi"),
            CHIEF.request("cpu", "500m"),
            CHIEF.request("memory", "1Gi"),
            EVALUATOR.request("cpu", "1"),
            EVALUATOR.request("memory", "512Mi"),
        ),
    ),
    "what each role needs, as it was spelt": Row(
        f"{_START} --ps=1 --chief --evaluator --workerCpu=4 --workerMemory=8Gi --psCpu=2 --psMemory=4Gi "
        "--ChiefCpu=500m --ChiefMemory=1Gi --evaluatorCpu=1 --evaluatorMemory=512Mi 'python train.py'",
        (
            WORKER.request("cpu", "4"),
            WORKER.request("memory", "8Gi"),
            PS.request("cpu", "2"),
            PS.request("memory", "4Gi"),
            CHIEF.request("cpu", "500m"),
            CHIEF.request("memory", "1Gi"),
            EVALUATOR.request("cpu", "1"),
            EVALUATOR.request("memory", "512Mi"),
        ),
    ),
    "what each role may use at most": Row(
        f"{_START} --ps=1 --chief --evaluator --worker-cpu=1 --worker-cpu-limit=4 --worker-memory=1Gi "
        "--worker-memory-limit=8Gi --ps-cpu-limit=2 --ps-memory-limit=4Gi --chief-cpu-limit=3 --chief-memory-limit=3Gi "
        "--evaluator-cpu-limit=5 --evaluator-memory-limit=5Gi 'python train.py'",
        (
            WORKER.request("cpu", "1"),
            WORKER.limit("cpu", "4"),
            WORKER.request("memory", "1Gi"),
            WORKER.limit("memory", "8Gi"),
            PS.limit("cpu", "2"),
            PS.limit("memory", "4Gi"),
            CHIEF.limit("cpu", "3"),
            CHIEF.limit("memory", "3Gi"),
            EVALUATOR.limit("cpu", "5"),
            EVALUATOR.limit("memory", "5Gi"),
        ),
    ),
    "parameter servers with GPUs": Row(
        f"{_START} --ps=1 --ps-gpus=2 'python train.py'",
        (PS.limit("nvidia.com/gpu", "2"), WORKER.unlimited("nvidia.com/gpu")),
    ),
    "nodes of roles": Row(
        f"{_START} --ps=1 --chief --evaluator --selector=disk=ssd --worker-selector=gpu=v100 --ps-selector ram=big "
        "--chief-selector=zone=a --evaluator-selector=zone=b --evaluator-selector spot=yes 'python train.py'",
        (
            WORKER.pod("nodeSelector", {"gpu": "v100"}),
            PS.pod("nodeSelector", {"ram": "big"}),
            CHIEF.pod("nodeSelector", {"zone": "a"}),
            EVALUATOR.pod("nodeSelector", {"zone": "b", "spot": "yes"}),
        ),
    ),
    "roles without nodes of their own take those of all": Row(
        f"{_START} --ps=1 --selector=disk=ssd --worker-selector=gpu=v100 'python train.py'",
        (WORKER.pod("nodeSelector", {"gpu": "v100"}), PS.pod("nodeSelector", {"disk": "ssd"})),
    ),
    "workers apart, servers together, if it can be": Row(
        f"{_START} --ps=2 --worker-affinity-policy=spread --ps-affinity-policy=binpack 'python train.py'",
        (
            WORKER.pod(f"affinity.podAntiAffinity.{_PREFERRED}[0].podAffinityTerm.topologyKey", _HOST),
            WORKER.pod("affinity.podAffinity", ABSENT),
            PS.pod(f"affinity.podAffinity.{_PREFERRED}[0].podAffinityTerm.topologyKey", _HOST),
            PS.pod("affinity.podAntiAffinity", ABSENT),
        ),
    ),
    "workers together, servers apart, in any case": Row(
        f"{_START} --ps=2 --worker-affinity-policy=binpack --worker-affinity-constraint=required "
        "--ps-affinity-policy spread --ps-affinity-constraint required 'python train.py'",
        (
            WORKER.pod(f"affinity.podAffinity.{_REQUIRED}[0].topologyKey", _HOST),
            PS.pod(f"affinity.podAntiAffinity.{_REQUIRED}[0].topologyKey", _HOST),
        ),
    ),
    "a preference that is spelt out": Row(
        f"{_START} --worker-affinity-policy=spread --worker-affinity-constraint=preferred 'python train.py'",
        (WORKER.pod(f"affinity.podAntiAffinity.{_PREFERRED}[0].podAffinityTerm.topologyKey", _HOST),),
    ),
    "no affinity": Row(
        f"{_START} --worker-affinity-policy=none --ps-affinity-policy=none 'python train.py'",
        (WORKER.pod("affinity", ABSENT),),
    ),
    "all workers must succeed": Row(
        f"{_START} --success-policy=AllWorkers 'python train.py'", ((_KIND, "spec.successPolicy", "AllWorkers"),)
    ),
    "the chief decides": Row(
        f"{_START} --success-policy=ChiefWorker 'python train.py'", ((_KIND, "spec.successPolicy", EMPTY),)
    ),
    "all pods go at the end": Row(
        f"{_START} --clean-task-policy=All 'python train.py'", ((_KIND, "spec.runPolicy.cleanPodPolicy", "All"),)
    ),
    "all pods stay at the end, as it was spelt": Row(
        f"{_START} --cleanTaskPolicy=None 'python train.py'", ((_KIND, "spec.runPolicy.cleanPodPolicy", "None"),)
    ),
    "times": Row(
        f"{_START} --running-timeout=1h30m --ttl-after-finished=90s 'python train.py'",
        (
            (_KIND, "spec.runPolicy.activeDeadlineSeconds", 5400),
            (_KIND, "spec.runPolicy.ttlSecondsAfterFinished", 90),
        ),
    ),
    "times that are not given": Row(
        f"{_START} 'python train.py'",
        (
            (_KIND, "spec.runPolicy.activeDeadlineSeconds", ABSENT),
            (_KIND, "spec.runPolicy.ttlSecondsAfterFinished", ABSENT),
        ),
    ),
    "shared memory": Row(
        f"{_START} --ps=1 --share-memory=8Gi 'python train.py'",
        tuple(role.mounts("emptyDir.sizeLimit=8Gi", _SHM) for role in (WORKER, PS)),
    ),
    "shared memory by default": Row(
        f"{_START} 'python train.py'",
        (WORKER.mounts("emptyDir.sizeLimit=2Gi", _SHM), WORKER.mounts("emptyDir.medium=Memory", _SHM)),
    ),
    "a gang of all roles": Row(
        f"{_START} --ps=2 --chief --evaluator --gang 'python train.py'",
        (
            (_KIND, "spec.runPolicy.schedulingPolicy.minAvailable", 6),
            *(
                role.template("labels[pod-group.scheduling.sigs.k8s.io/min-available]", "6")
                for role in (WORKER, PS, CHIEF, EVALUATOR)
            ),
        ),
    ),
    "shared flags reach every role": Row(
        f"{_START} --ps=1 --chief --evaluator -e A=1 -d images:/images -p high --toleration all 'python train.py'",
        tuple(
            fact
            for role in (WORKER, PS, CHIEF, EVALUATOR)
            for fact in (
                role.env("A", "1"),
                role.mounts("persistentVolumeClaim.claimName=images", "/images"),
                role.pod("priorityClassName", "high"),
                role.pod("tolerations", [{"operator": "Exists"}]),
            )
        ),
    ),
    "the command before the flags": Row(
        "arena submit tfjob 'python train.py' --name t --workers=2 --image tf:1",
        (WORKER.box("command", ["sh", "-c", "python train.py"]), (_KIND, "metadata.name", "t")),
    ),
    "the command between the flags": Row(
        "arena submit tf --name t 'python train.py' --workers=2 --image tf:1",
        (WORKER.box("command", ["sh", "-c", "python train.py"]),),
    ),
    "the command in several words": Row(
        f"{_START} python train.py", (WORKER.box("command", ["sh", "-c", "python train.py"]),)
    ),
    "the command with flags of its own": Row(
        f"{_START} -- python train.py --epochs=3 -v",
        (WORKER.box("command", ["sh", "-c", "python train.py --epochs=3 -v"]),),
    ),
    "a command with quotes, pipes and variables": Row(
        f"""{_START} 'python -c "print(1)" | tee "$LOG" && echo {{{{.Values}}}}; true' """,
        (WORKER.box("command", ["sh", "-c", 'python -c "print(1)" | tee "$LOG" && echo {{.Values}}; true']),),
    ),
    "a namespace before the command": Row(
        "arena -n vision submit tfjob --name=t --image=tf:1 --workers=2 true",
        ((_KIND, "metadata.namespace", "vision"),),
    ),
    "a namespace behind the command": Row(
        f"{_START} --namespace=vision --loglevel=debug true", ((_KIND, "metadata.namespace", "vision"),)
    ),
}
