"""Refusals that are no question of rights: a quota is used up, or a rule of the cluster does not let an object in.

Servers tell them by their words only: a quota is Forbidden like a missing right, a webhook says BadRequest, a policy
Invalid. Our own policies check whether jobs are valid, so what they refuse is an invalid object and nothing else.
"""

import re
from collections.abc import Mapping
from typing import Any

from corral.errors import CorralError
from corral.ports import refusals

_QUOTA = re.compile(r"\b(exceeded|failed) quota: ")
_DENIED = re.compile(
    r"admission webhook \".+?\" denied the request"
    r"|ValidatingAdmissionPolicy '(?P<policy>\S+)' with binding '\S+' denied request"
    r"|violates PodSecurity "
)
_RIGHTS = re.compile(r"\bcannot\b|attempting to grant|not allowed to")
_LEAVING = "because it is being terminated"


def admission_refusal(message: str, what: str, status: Mapping[str, Any]) -> CorralError | None:
    """Returns the refusal that a message means when a quota or a rule of the cluster speaks in it, else None."""
    if _QUOTA.search(message):
        hint = "`corral get resourcequotas` shows what is used; ask for less, or wait until something ends"
        return refusals.QuotaExceededError(message, what=what, status=status, hint=hint)
    if _LEAVING in message:
        hint = "the namespace is being deleted; choose another one with -n"
        return refusals.RefusedByPolicyError(message, what=what, status=status, hint=hint)
    denied = _DENIED.search(message)
    is_ours = denied is not None and _is_ours(denied["policy"] or "")
    is_unnamed = status.get("reason") == "Forbidden" and " is forbidden: " in message and not _RIGHTS.search(message)
    if (denied is None or is_ours) and not is_unnamed:
        return None
    hint = "a rule of the cluster refuses it: change what it names, or ask an administrator"
    return refusals.RefusedByPolicyError(message, what=what, status=status, hint=hint)


def _is_ours(policy: str) -> bool:
    from corral.kinds.training.policies.wording import (
        POLICY_PREFIX,
    )  # brings the training kinds, which few refusals need

    return policy.startswith(POLICY_PREFIX)
