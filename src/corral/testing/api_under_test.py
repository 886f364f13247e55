"""What a test that runs against both API servers is given."""

from typing import NamedTuple

from corral.adapters.kubernetes.access import Access
from corral.kinds.references import ObjectKey


class ApiUnderTest(NamedTuple):
    """A server and a namespace that nobody else uses."""

    access: Access
    namespace: str
    is_embedded: bool

    def key(self, name: str) -> ObjectKey:
        """Returns a key in the namespace of the test."""
        return ObjectKey(self.namespace, name)
