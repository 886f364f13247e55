"""Kinds whose status writes may also touch labels, annotations and finalizers: most of the plain built-ins."""

from corral.engine.apiserver.resources.resource import Object, Strategy


class OpenStatusStrategy(Strategy):
    """Keeps everything but status and metadata on a status write; metadata is checked as on any update."""

    def prepare_update(self, new: Object, old: Object) -> None:
        """Keeps the status, which has its own subresource."""
        new.pop("status", None)
        if "status" in old:
            new["status"] = old["status"]

    def prepare_status(self, new: Object, old: Object) -> None:
        """Keeps spec and data from the former object."""
        kept = {key: value for key, value in old.items() if key not in ("metadata", "status")}
        metadata, status = new["metadata"], new.get("status")
        new.clear()
        new.update(kept)
        new["metadata"] = metadata
        if status is not None:
            new["status"] = status
