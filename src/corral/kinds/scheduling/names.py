"""Names of labels, annotations and resources by which scheduling is asked for and answered, by whom they were invented."""

from typing import Final

from corral.kinds.training.label_names import POD_GROUP_NAME

# Ours
OUR_NAMES: Final = frozenset({"corral", "corral-scheduler"})
"""The names under which pods ask for our scheduler."""
MOST_MEMBERS: Final = 5000
"""So many pods a gang may have at most."""
QUEUE: Final = "corral.dev/queue"
"""The label of a pod: the queue it waits in."""
GANG: Final = "corral.dev/gang"
"""The label of a pod: the gang of its namespace that it belongs to."""
GANG_SIZE: Final = "corral.dev/gang-size"
"""The annotation of a pod: how many pods of its gang must start together."""
GANG_MOST: Final = "corral.dev/gang-most"
"""The annotation of a pod: how many pods its gang can use at most, when it may grow and shrink while it runs."""
CHECKPOINTS: Final = "corral.dev/checkpoints"
"""The annotation of a pod or its job: `true` when it goes on where it was after it was stopped, so that it may be moved."""
PREEMPTIBLE: Final = "corral.dev/preemptible"
"""The annotation of a pod or its job: `false` when it must not be stopped to make room for others."""
RUN_TIME: Final = "corral.dev/run-time"
"""The annotation of a pod or its job: how long it will run from start to end, as its owner says: 90m, 1h30m, 2d, or seconds."""
GANG_TOPOLOGY: Final = "corral.dev/gang-within"
"""The annotation of a pod: the label of nodes that its gang must share, such as topology.kubernetes.io/zone."""
GANG_PREFERRED_TOPOLOGY: Final = "corral.dev/gang-near"
"""The annotation of a pod: the label of nodes that its gang should share when it can."""
STRATEGY: Final = "corral.dev/strategy"
"""The annotation of a pod: `bundle` or `spread`."""
GPU_DEVICES: Final = "corral.dev/gpu-devices"
"""The annotation of a pod: the only GPUs of a node that will do, by index or uuid."""
GPU_MODELS: Final = "corral.dev/gpu-models"
"""The annotation of a pod: the models of GPU that will do."""
GPU_SHARE: Final = "corral.dev/gpu-share"
"""The annotation of a pod: the share of each of its GPUs, such as 0.5."""
GPU_MEMORY: Final = "corral.dev/gpu-memory"
"""The annotation of a pod: the memory of each of its GPUs, such as 8Gi."""
GPU_COUNT: Final = "corral.dev/gpu-count"
"""The annotation of a pod: of how many GPUs it wants that share; 1 when it does not say."""
CHOSEN_DEVICES: Final = "corral.dev/gpus"
"""The annotation that the scheduler writes with the bind: which GPUs of the node the pod holds, by index."""
TAKEN_BACK: Final = "corral.dev/placement-taken-back"
"""The annotation of a pod whose placement was taken back before it was bound: by which epoch. Its change makes binds that are
still on their way fail."""
MOVES_FOR: Final = "corral.dev/moves-for"
"""The annotation of a job that the scheduler has suspended to move it: for whom. Without it nobody but its owner resumes the job."""
MOVED: Final = "corral.dev/moved"
"""The annotation of a job that was resumed by the scheduler: by which epoch. Its change makes older changes that are still on their
way fail."""
LINKS: Final = "corral.dev/gpu-links"
"""The annotation of a node: how well each pair of its GPUs is connected, as a matrix of points in JSON."""

# NVIDIA's device plugin and feature discovery
NVIDIA_GPU: Final = "nvidia.com/gpu"
NVIDIA_PRODUCT: Final = "nvidia.com/gpu.product"
NVIDIA_MEMORY: Final = "nvidia.com/gpu.memory"
NVIDIA_REPLICAS: Final = "nvidia.com/gpu.replicas"
"""The label of a node: how often each of its GPUs is offered when it is shared by turns."""

# gpushare
ALIYUN_MEMORY: Final = "aliyun.com/gpu-mem"
ALIYUN_COUNT: Final = "aliyun.com/gpu-count"
ALIYUN_INDEX: Final = "ALIYUN_COM_GPU_MEM_IDX"
ALIYUN_OF_DEVICE: Final = "ALIYUN_COM_GPU_MEM_DEV"
ALIYUN_OF_POD: Final = "ALIYUN_COM_GPU_MEM_POD"
ALIYUN_ASSIGNED: Final = "ALIYUN_COM_GPU_MEM_ASSIGNED"
ALIYUN_ASSUMED_AT: Final = "ALIYUN_COM_GPU_MEM_ASSUME_TIME"

# HAMi
HAMI_MEMORY: Final = "nvidia.com/gpumem"
HAMI_PERCENTAGE: Final = "nvidia.com/gpumem-percentage"
HAMI_CORES: Final = "nvidia.com/gpucores"
HAMI_USE_TYPE: Final = "nvidia.com/use-gputype"
HAMI_REFUSE_TYPE: Final = "nvidia.com/nouse-gputype"
HAMI_USE_UUID: Final = "nvidia.com/use-gpuuuid"
HAMI_REFUSE_UUID: Final = "nvidia.com/nouse-gpuuuid"
HAMI_REGISTER: Final = "hami.io/node-nvidia-register"
"""The annotation of a node: its GPUs, written by the device plugin."""
HAMI_NODE: Final = "hami.io/vgpu-node"
HAMI_TIME: Final = "hami.io/vgpu-time"
HAMI_TO_ALLOCATE: Final = "hami.io/vgpu-devices-to-allocate"
HAMI_ALLOCATED: Final = "hami.io/vgpu-devices-allocated"
HAMI_PHASE: Final = "hami.io/bind-phase"
HAMI_BOUND_AT: Final = "hami.io/bind-time"

# Volcano
VOLCANO_GROUP: Final = "scheduling.k8s.io/group-name"
VOLCANO_QUEUE: Final = "volcano.sh/queue-name"

# scheduler-plugins
PLUGINS_GROUP: Final = "scheduling.x-k8s.io/pod-group"

# Coscheduling without group objects: the plugin of clusters where Arena comes from, and of scheduler-plugins before its PodGroups
COSCHEDULING_GROUP: Final = POD_GROUP_NAME
COSCHEDULING_MINIMUM: Final = "pod-group.scheduling.sigs.k8s.io/min-available"
"""The label of a pod: how many pods of its gang must start together. `--gang` writes both."""

# Kueue
KUEUE_QUEUE: Final = "kueue.x-k8s.io/queue-name"
KUEUE_GROUP: Final = "kueue.x-k8s.io/pod-group-name"
KUEUE_GROUP_SIZE: Final = "kueue.x-k8s.io/pod-group-total-count"
KUEUE_REQUIRED_TOPOLOGY: Final = "kueue.x-k8s.io/podset-required-topology"
KUEUE_PREFERRED_TOPOLOGY: Final = "kueue.x-k8s.io/podset-preferred-topology"

# KAI
KAI_QUEUE: Final = "kai.scheduler/queue"
KAI_FRACTION: Final = "gpu-fraction"
KAI_MEMORY: Final = "gpu-memory"
KAI_DEVICES: Final = "gpu-fraction-num-devices"
KAI_REQUIRED_TOPOLOGY: Final = "kai.scheduler/topology-required-placement"
KAI_PREFERRED_TOPOLOGY: Final = "kai.scheduler/topology-preferred-placement"

# Koordinator
KOORDINATOR_GANG: Final = "gang.scheduling.koordinator.sh/name"
KOORDINATOR_MINIMUM: Final = "gang.scheduling.koordinator.sh/min-available"
