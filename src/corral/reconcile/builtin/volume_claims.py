"""Claims for storage on one machine: a claim is bound as soon as it exists, since the node backs it with a folder.

Every storage class is taken, because nobody else provides any here. What a folder cannot be waits with a reason: a block
device, one certain volume, a copy of something else.
"""

from corral.kinds.objects import Object, is_deleting
from corral.kinds.well_known import PERSISTENT_VOLUME_CLAIM
from corral.reconcile.plan import NOTHING_TO_DO, EmitEvent, Plan, SetStatus


def decide(claim: Object) -> Plan:
    """Returns what makes a claim usable, or tells why it is not."""
    spec, status = claim["spec"], claim.get("status") or {}
    if is_deleting(claim):
        return NOTHING_TO_DO
    obstacle = _obstacle(claim)
    if obstacle and status.get("phase") != "Bound":
        told = EmitEvent(PERSISTENT_VOLUME_CLAIM, claim, "ProvisioningFailed", obstacle, "Warning", repeats=False)
        return Plan.of(told)
    size = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    wanted = {
        **status,
        "phase": "Bound",
        "accessModes": list(spec.get("accessModes") or ()),
        "capacity": {**(status.get("capacity") or {}), "storage": size},
    }
    return NOTHING_TO_DO if wanted == status else Plan.of(SetStatus(PERSISTENT_VOLUME_CLAIM, claim, wanted))


def _obstacle(claim: Object) -> str:
    spec = claim["spec"]
    if spec.get("volumeMode") == "Block":
        return "claims are folders on this machine: volumeMode Block cannot be had"
    if spec.get("volumeName") or spec.get("selector"):
        return "claims are folders on this machine: there are no volumes to choose by volumeName or selector"
    if spec.get("dataSource") or spec.get("dataSourceRef"):
        return "claims are folders on this machine: none can be made from a dataSource"
    return ""
