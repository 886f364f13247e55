"""Arena's flags of `submit`, typed from its tables: which flag, with which types, in which spellings.

A deprecated spelling is a flag of its own here, since people have it in scripts. `sshPort` is from 2018, when `mpijob` had
it too.
"""

EVERYWHERE = ("tfjob", "pytorchjob", "mpijob", "horovodjob", "etjob", "deepspeedjob")

_SHARED = """
--name --image --image-pull-policy --image-pull-secret --gpus --device --workers --retry --env -e --data -d --data-dir
--config-file --annotation -a --label -l --rdma --gang --priority -p --queue --scheduler --toleration --selector
--working-dir --shell --hostNetwork --hostIPC --hostPID --model-name --model-source --sync-mode --sync-source --sync-image
--tensorboard --tensorboard-image --logdir
--workingDir --dataDir --syncMode --syncSource --syncImage --tensorboardImage
"""

_OWN = {
    "tfjob": """
--ps --chief --evaluator --worker-image --ps-image --worker-port --ps-port --chief-port
--worker-cpu --worker-cpu-limit --worker-memory --worker-memory-limit --ps-cpu --ps-cpu-limit --ps-memory --ps-memory-limit
--chief-cpu --chief-cpu-limit --chief-memory --chief-memory-limit --evaluator-cpu --evaluator-cpu-limit --evaluator-memory
--evaluator-memory-limit --ps-gpus --worker-selector --ps-selector --chief-selector --evaluator-selector
--worker-affinity-policy --ps-affinity-policy --worker-affinity-constraint --ps-affinity-constraint --success-policy
--clean-task-policy --running-timeout --starting-timeout --ttl-after-finished --role-sequence --share-memory
--workerImage --psImage --workerPort --psPort --chiefPort --workerCpu --workerMemory --psCpu --psMemory --ChiefCpu
--ChiefMemory --evaluatorCpu --evaluatorMemory --cleanTaskPolicy
""",
    "pytorchjob": """
--cpu --memory --clean-task-policy --running-timeout --ttl-after-finished --share-memory --nproc-per-node
""",
    "mpijob": "--cpu --memory --gputopology --mounts-on-launcher --clean-task-policy --sshPort",
    "etjob": """
--cpu --memory --min-workers --max-workers --spot-instance --max-wait-time --launcher-selector --job-restart-policy
--worker-restart-policy --job-backoff-limit --ssh-secret --launcher-annotation --worker-annotation
""",
    "deepspeedjob": """
--cpu --memory --launcher-selector --job-restart-policy --job-backoff-limit --ssh-secret --launcher-annotation
--worker-annotation
""",
    "horovodjob": "--cpu --memory --ssh-port --sshPort",
}


def arena_flags() -> set[tuple[str, str]]:
    """Returns every pair of a type and a flag that Arena's users may type."""
    shared = {(word, flag) for word in EVERYWHERE for flag in _SHARED.split()}
    return shared | {(word, flag) for word, flags in _OWN.items() for flag in flags.split()}
