"""The resources that every Kubernetes API serves and our loops use, so that nobody spells a plural twice."""

from corral.kinds.references import ApiResource

POD = ApiResource("", "v1", "Pod", "pods")
SERVICE = ApiResource("", "v1", "Service", "services")
ENDPOINTS = ApiResource("", "v1", "Endpoints", "endpoints")
CONFIG_MAP = ApiResource("", "v1", "ConfigMap", "configmaps")
SECRET = ApiResource("", "v1", "Secret", "secrets")
SERVICE_ACCOUNT = ApiResource("", "v1", "ServiceAccount", "serviceaccounts")
RESOURCE_QUOTA = ApiResource("", "v1", "ResourceQuota", "resourcequotas")
PERSISTENT_VOLUME_CLAIM = ApiResource("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims")
PERSISTENT_VOLUME = ApiResource("", "v1", "PersistentVolume", "persistentvolumes", namespaced=False)
STORAGE_CLASS = ApiResource("storage.k8s.io", "v1", "StorageClass", "storageclasses", namespaced=False)
EVENT = ApiResource("", "v1", "Event", "events")
NAMESPACE = ApiResource("", "v1", "Namespace", "namespaces", namespaced=False)
NODE = ApiResource("", "v1", "Node", "nodes", namespaced=False)
DEPLOYMENT = ApiResource("apps", "v1", "Deployment", "deployments")
REPLICA_SET = ApiResource("apps", "v1", "ReplicaSet", "replicasets")
JOB = ApiResource("batch", "v1", "Job", "jobs")
HORIZONTAL_POD_AUTOSCALER = ApiResource("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers")
ROLE = ApiResource("rbac.authorization.k8s.io", "v1", "Role", "roles")
ROLE_BINDING = ApiResource("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings")
LEASE = ApiResource("coordination.k8s.io", "v1", "Lease", "leases")
PRIORITY_CLASS = ApiResource("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", namespaced=False)
CUSTOM_RESOURCE_DEFINITION = ApiResource(
    "apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False
)
