"""The names of the labels by which everybody finds the pods of a job, apart from what fills them in: a reader needs no more."""

PREFIX = "training.kubeflow.org/"
OPERATOR_NAME, JOB_NAME = PREFIX + "operator-name", PREFIX + "job-name"
REPLICA_TYPE, REPLICA_INDEX, JOB_ROLE = PREFIX + "replica-type", PREFIX + "replica-index", PREFIX + "job-role"

BATCH_JOB_NAME = "batch.kubernetes.io/job-name"
"""On the pods of a plain Job."""
COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
"""On the pods of an indexed Job."""

POD_GROUP_NAME = "pod-group.scheduling.sigs.k8s.io/name"
"""On pods that coscheduling starts together: what it calls their gang."""

TENSORBOARD = "corral.dev/tensorboard"
"""On everything that belongs to the TensorBoard of a job; its value is the name of the job."""
TRAINING_CONTAINERS = ("tensorflow", "pytorch", "mpi", "xgboost", "paddle", "jax", "mxnet")
"""What the container that trains is called, kind by kind."""
