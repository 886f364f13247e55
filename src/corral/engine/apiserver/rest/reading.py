"""Get and list."""

import base64
import binascii
from itertools import islice
from typing import Any

import msgspec

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.options import ListOptions, revision_to_get
from corral.engine.apiserver.http.response import Response, encoded
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.resources.resource import Resource
from corral.engine.apiserver.rest.filter import Filter
from corral.engine.apiserver.rest.identity import key_of
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.storage.entry import Collection, Entry
from corral.engine.apiserver.world import World


def entry_of(world: World, resource: Resource, target: Target) -> Entry:
    """Returns the committed entry that a path names; 404 when there is none."""
    entry = world.store.collection(resource.storage_key).get(key_of(target))
    if entry is None:
        raise failures.not_found(resource.group, resource.plural, target.name)
    return entry


def get(world: World, view: View, target: Target, query: dict[str, str]) -> Response:
    """Answers with one object."""
    wanted = revision_to_get(query.get("resourceVersion", ""))
    if wanted > world.store.revision:
        raise too_new(wanted, world.store.revision)
    return encoded(200, view.one(entry_of(world, view.resource, target), world.now()), view.form)


def list_objects(world: World, view: View, target: Target, options: ListOptions) -> Response:
    """Answers with a list, or a page of one that goes on at the same revision."""
    chosen = Filter(view, target, options)
    collection, revision, after = _source(world, view.resource, options)
    matching = chosen.among(collection.scan(chosen.namespace, after))
    # A list "at any revision" comes from a real server's cache, which knows no pages.
    limit = 0 if options.revision == 0 and not options.match else options.limit
    meta: dict[str, Any] = {"resourceVersion": str(revision)}
    if view.resource.structural and view.form.shape == "object":
        meta["continue"] = ""
    if not limit:
        found = list(matching)
    else:
        found = list(islice(matching, limit))
        if next(matching, None) is not None:
            meta["continue"] = continue_token(revision, found[-1].key)
            if not chosen.selective:
                meta["remainingItemCount"] = collection.count(chosen.namespace, found[-1].key)
    return encoded(200, view.many(found, meta, world.now()), view.form)


def too_new(wanted: int, current: int) -> failures.ApiFailure:
    """504: the client knows a later revision than we have, so it must ask again (or start over)."""
    return failures.ApiFailure(
        504,
        "Timeout",
        f"Timeout: Too large resource version: {wanted}, current: {current}",
        details={
            "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
            "retryAfterSeconds": 1,
        },
        retry_after=1,
    )


def _source(world: World, resource: Resource, options: ListOptions) -> tuple[Collection, int, str]:
    store, name = world.store, resource.storage_key
    if options.continue_token:
        if options.revision:
            raise failures.bad_request("specifying resource version is not allowed when using continue")
        revision, after = continued(options.continue_token)
        if revision > store.revision:
            raise failures.bad_request(f"invalid continue token: revision {revision} is in the future")
        if revision < store.history.floor:
            raise _page_expired(store.revision, after)
        return store.at(name, revision), revision, after
    wanted = options.revision or 0
    if wanted > store.revision:
        raise too_new(wanted, store.revision)
    if options.match == "Exact" or (options.limit and wanted and options.match != "NotOlderThan"):
        return store.at(name, wanted), wanted, ""
    return store.collection(name), store.revision, ""


def _page_expired(revision: int, after: str) -> failures.ApiFailure:
    failure = failures.expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list "
        "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
        "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
        "modified, or deleted between the time the first chunk was returned and now may show up in the list."
    )
    failure.list_meta["continue"] = continue_token(revision, after)
    return failure


class _Token(msgspec.Struct):
    rv: int = 0
    start: str = ""
    v: str = "meta.k8s.io/v1"


def continue_token(revision: int, after: str) -> str:
    """Returns the token with which the next page begins behind a key, at the same revision."""
    return base64.urlsafe_b64encode(msgspec.json.encode(_Token(revision, after))).decode().rstrip("=")


def continued(token: str) -> tuple[int, str]:
    """Returns the revision and the last key of a continue token; 400 for anything that is not one."""
    try:
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        found = msgspec.json.decode(raw, type=_Token)
    except (binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise failures.bad_request(f"invalid continue token: continue key is not valid: {error}") from None
    if found.v != "meta.k8s.io/v1":
        problem = f"server does not recognize this encoded version {found.v}"
        raise failures.bad_request(f"invalid continue token: continue key is not valid: {problem}")
    if found.rv <= 0 or not found.start:
        problem = "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"
        raise failures.bad_request(f"invalid continue token: continue key is not valid: {problem}")
    return found.rv, found.start
