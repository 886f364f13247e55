"""A ResourceQuota as the scheduler reads it: how much more a namespace may ask for."""

from typing import Any

import msgspec

from corral.kinds.objects import Metadata

Quantities = dict[str, Any]


class QuotaSpec(msgspec.Struct, rename="camel", kw_only=True):
    """Whom it counts."""

    scopes: list[str] | None = None
    scope_selector: Any = None


class QuotaStatus(msgspec.Struct, kw_only=True):
    """What is allowed, and what of it is asked for already."""

    hard: Quantities | None = None
    used: Quantities | None = None


class QuotaView(msgspec.Struct, kw_only=True):
    """One ResourceQuota; shared by all readers, so never changed."""

    metadata: Metadata
    spec: QuotaSpec = msgspec.field(default_factory=QuotaSpec)
    status: QuotaStatus = msgspec.field(default_factory=QuotaStatus)

    @property
    def counts_all(self) -> bool:
        """Whether it counts all pods of its namespace, and not only some."""
        return not self.spec.scopes and not self.spec.scope_selector
