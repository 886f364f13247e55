"""Who we are for an API."""

import hashlib
from typing import Any, Final, NamedTuple

from corral.control.desk.session import Session
from corral.kinds.references import ApiResource
from corral.ports.refusals import ForbiddenError, InvalidError, NotFoundError

_REVIEW: Final = ApiResource("authentication.k8s.io", "v1", "SelfSubjectReview", "selfsubjectreviews", namespaced=False)
_ACCESS: Final = ApiResource(
    "authorization.k8s.io", "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", namespaced=False
)
_EVERYTHING: Final = {"resourceAttributes": {"verb": "*", "group": "*", "resource": "*"}}


class Identity(NamedTuple):
    """A user, as an API knows them."""

    name: str
    is_admin: bool

    @property
    def id(self) -> str:
        """Returns the id by which Arena marks the jobs of a user: a digest of the name."""
        return hashlib.md5(self.name.encode(), usedforsecurity=False).hexdigest()

    def document(self) -> dict[str, Any]:
        """Returns it under Arena's names."""
        return {"Name": self.name, "Id": self.id, "IsAdminUser": self.is_admin}


def who_am_i(session: Session) -> Identity:
    """Returns who we are: what the API says, else what the settings say with which we came."""
    return Identity(_name(session) or session.user, _may_do_everything(session))


def _name(session: Session) -> str:
    try:
        told = session.store.create(_REVIEW, {"apiVersion": _REVIEW.api_version, "kind": _REVIEW.kind, "metadata": {}})
    except (NotFoundError, ForbiddenError, InvalidError):
        return ""
    return str(((told.get("status") or {}).get("userInfo") or {}).get("username") or "")


def _may_do_everything(session: Session) -> bool:
    """Whether we may do everything; an API that does not ask for rights lets everybody."""
    question = {"apiVersion": _ACCESS.api_version, "kind": _ACCESS.kind, "metadata": {}, "spec": _EVERYTHING}
    try:
        told = session.store.create(_ACCESS, question)
    except NotFoundError:
        return session.is_embedded
    except (ForbiddenError, InvalidError):
        return False
    return bool((told.get("status") or {}).get("allowed"))
