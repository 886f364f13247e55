"""Which objects a list or watch is about: a namespace, a name, labels and fields."""

from collections.abc import Iterable, Iterator

from corral.engine.apiserver import selectors
from corral.engine.apiserver.http.options import ListOptions
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.storage.entry import Entry


class Filter:
    """The conditions of one request, parsed once, asked many times."""

    def __init__(self, view: View, target: Target, options: ListOptions) -> None:
        resource = view.resource
        self._view = view
        self.namespace = target.namespace
        self.name = target.name
        self._labels = selectors.parse_label_selector(options.label_selector) if options.label_selector else None
        self._fields = None
        if options.field_selector:
            self._fields = selectors.parse_field_selector(
                options.field_selector,
                resource.selectable_fields,
                kind=resource.kind,
                custom=resource.structural,
            )
        self.selective = self._labels is not None or self._fields is not None or bool(self.name)

    def matches(self, entry: Entry) -> bool:
        """Says whether an entry is meant."""
        if self.namespace and not entry.key.startswith(self.namespace + "/"):
            return False
        return not self.selective or self._selected(entry)

    def among(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Returns those that are meant of entries that are in the right namespace already, in their order."""
        if not self.selective:
            return iter(entries)
        if self._labels is None or self._fields is not None or self.name:
            return filter(self._selected, entries)
        is_wanted = self._labels.test()
        return (e for e in entries if is_wanted(e.labels()))

    def _selected(self, entry: Entry) -> bool:
        if self.name and entry.name != self.name:
            return False
        if self._labels is not None and not self._labels.matches(entry.labels()):
            return False
        return self._fields is None or self._fields.matches(self._fields_of(entry))

    def _fields_of(self, entry: Entry) -> dict[str, str]:
        resource = self._view.resource
        known = entry.fields.get(resource.api_version)
        if known is None:
            known = {"metadata.name": entry.name, "metadata.namespace": entry.namespace}
            if resource.selectable_fields:
                known |= resource.strategy.selectable(self._view.decoded(entry))
            entry.fields[resource.api_version] = known
        return known
