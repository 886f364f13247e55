"""Who hosts the meeting of an elastic PyTorch job: the pod whose name its endpoint has, as on a cluster.

torchrun takes every process to whom the endpoint is a loopback address for the host, so on one machine whoever comes first
would be it, and a job could not lose that worker although the manifest promises the first one only.
"""

from collections.abc import Mapping

ENDPOINT, CONF = "PET_RDZV_ENDPOINT", "PET_RDZV_CONF"
_IS_HOST = "is_host"


def meeting_settings(told: Mapping[str, str], held: Mapping[str, str], pod: str) -> dict[str, str]:
    """Returns the settings of torchrun that say whether a pod is the host; none when the user has said it.

    `told` is what the operator told the pod, `held` the variables of one of its containers.
    """
    if told.get("PET_RDZV_BACKEND") != "c10d" or held.get(ENDPOINT) != told[ENDPOINT]:
        return {}
    given = [one for one in held.get(CONF, "").split(",") if one]
    if any(one.partition("=")[0].strip() == _IS_HOST for one in given):
        return {}
    is_host = told[ENDPOINT].partition(":")[0].partition(".")[0] == pod
    return {CONF: ",".join([*given, f"{_IS_HOST}={str(is_host).lower()}"])}
