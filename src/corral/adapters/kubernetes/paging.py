"""Reading a list in pages: which call comes next, and what to do when the pages' revision expires half-way.

Without I/O; both clients run it. When the server no longer keeps the revision of the first page, the list starts over
without pages, because another try would be as slow.
"""

from typing import Any

from corral.adapters.kubernetes import calls
from corral.adapters.kubernetes.answers import DecodedPage
from corral.adapters.kubernetes.calls import Call
from corral.kinds.references import ApiResource
from corral.ports.object_store import Page, Scope
from corral.ports.refusals import ExpiredError


class Paging:
    """The state of one paged list."""

    def __init__(self, resource: ApiResource, scope: Scope, page_size: int) -> None:
        self._resource = resource
        self._scope = scope
        self._limit = page_size
        self._next = ""
        self._is_first = True
        self._done = False

    def next_call(self) -> Call | None:
        """Returns the call for the next page, or None after the last."""
        if self._done:
            return None
        return calls.list_page(self._resource, self._scope, limit=self._limit, next_page=self._next)

    def took(self, decoded: DecodedPage) -> Page[Any]:
        """Takes a page and returns it, marked when pages before it are void."""
        page = decoded.page
        page.is_first = self._is_first
        self._is_first = False
        self._next = decoded.next_page
        self._done = not decoded.next_page
        return page

    def expired(self, error: ExpiredError) -> None:
        """Starts over after an expired page; a list that expires as a whole is a failure."""
        if not self._next:
            raise error
        self._next = ""
        self._limit = 0
        self._is_first = True
