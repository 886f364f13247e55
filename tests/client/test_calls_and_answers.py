"""Requests as values and answers as values or refusals; no server needed."""

import json
from typing import Any

import msgspec
import pytest

from corral.adapters.kubernetes import calls
from corral.adapters.kubernetes.answers import Answer, ChangeReader, LineSplitter, page_in, refusal_of
from corral.adapters.kubernetes.retrying import PATIENT, Pause, Renew, RetryPolicy, Send, exchange
from corral.errors import BugError, CorralError, PermanentError
from corral.kinds.objects import Metadata
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import DEPLOYMENT, NODE, POD
from corral.ports.object_store import PLAIN, DeleteOptions, Patch, Scope, Start, WriteOptions
from corral.ports.refusals import (
    AlreadyExistsError,
    ConflictError,
    ExpiredError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    OverloadedError,
    UnauthorizedError,
    UnreachableError,
    UnsupportedError,
    may_have_happened,
)

KEY = ObjectKey("n", "a")


def test_paths() -> None:
    assert calls.get(POD, KEY).target == "/api/v1/namespaces/n/pods/a"
    assert calls.get(DEPLOYMENT, KEY, subresource="status").target == "/apis/apps/v1/namespaces/n/deployments/a/status"
    assert calls.get(NODE, ObjectKey("", "x")).target == "/api/v1/nodes/x"
    rbac = ApiResource("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", namespaced=False)
    assert calls.get(rbac, ObjectKey("", "system:node")).target.endswith("/clusterroles/system:node")
    assert calls.list_page(POD, Scope(labels="a in (b,c)"), next_page="x=").target == (
        "/api/v1/pods?labelSelector=a+in+%28b%2Cc%29&limit=500&continue=x%3D"
    )


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../x", "%2e%2e", "a\\b", "a\nb", "a\x00b"])
def test_names_that_would_change_a_path_are_refused(name: str) -> None:
    with pytest.raises(PermanentError) as caught:
        calls.get(POD, ObjectKey("n", name))
    assert caught.value.code == "bad-name"


def test_a_namespaced_object_needs_its_namespace() -> None:
    with pytest.raises(PermanentError, match="namespace"):
        calls.get(POD, ObjectKey("", "a"))
    with pytest.raises(PermanentError, match="namespace"):
        calls.create(POD, {"metadata": {"name": "a"}}, PLAIN, manager="m")


def test_a_watch_asks_for_bookmarks_and_an_end() -> None:
    target = calls.watch(POD, Scope("n"), Start("7")).target
    assert "watch=true&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=7" in target
    streamed = calls.watch(POD, Scope(), Start(initial_events=True)).target
    assert "sendInitialEvents=true&resourceVersionMatch=NotOlderThan" in streamed


NAMED = {"metadata": {"name": "a", "namespace": "n"}}
VERSIONED = {"metadata": {"name": "a", "namespace": "n", "resourceVersion": "1"}}
REPEATABLE = {
    "a read": (calls.get(POD, KEY), True),
    "a create": (calls.create(POD, NAMED, PLAIN, manager="m"), False),
    "a create with a fixed name": (calls.create(POD, NAMED, WriteOptions(deterministic=True), manager="m"), True),
    "a create without a name": (
        calls.create(POD, {"metadata": {"namespace": "n"}}, WriteOptions(deterministic=True), manager="m"),
        False,
    ),
    "an update of a version": (calls.update(POD, VERSIONED, PLAIN, manager="m"), True),
    "an update of whatever there is": (calls.update(POD, NAMED, PLAIN, manager="m"), False),
    "an apply": (calls.patch(POD, KEY, Patch("apply", NAMED), PLAIN, manager="m"), True),
    "a merge patch": (calls.patch(POD, KEY, Patch("merge", {}), PLAIN, manager="m"), True),
    "a json patch": (calls.patch(POD, KEY, Patch("json", []), PLAIN, manager="m"), False),
    "a delete by name": (calls.delete(POD, KEY, DeleteOptions()), False),
    "a delete by uid": (calls.delete(POD, KEY, DeleteOptions(uid="u")), True),
    "a dry run": (calls.create(POD, NAMED, WriteOptions(dry_run=True), manager="m"), True),
}


@pytest.mark.parametrize("case", REPEATABLE)
def test_only_what_ends_in_the_same_state_may_be_repeated(case: str) -> None:
    call, want = REPEATABLE[case]
    assert call.repeatable is want


def test_delete_options_are_in_the_body() -> None:
    call = calls.delete(POD, KEY, DeleteOptions("Orphan", 0, "u", "5", dry_run=True))
    assert json.loads(call.body or b"") == {
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "propagationPolicy": "Orphan",
        "gracePeriodSeconds": 0,
        "preconditions": {"uid": "u", "resourceVersion": "5"},
        "dryRun": ["All"],
    }


def status(code: int, reason: str, **more: Any) -> Answer:
    body = {"kind": "Status", "message": f"it is {reason}", "reason": reason, "code": code, **more}
    return Answer(code, {}, json.dumps(body).encode())


REFUSALS: dict[str, tuple[Answer, type[CorralError]]] = {
    "absent": (status(404, "NotFound"), NotFoundError),
    "taken": (status(409, "AlreadyExists"), AlreadyExistsError),
    "changed": (status(409, "Conflict"), ConflictError),
    "too old": (status(410, "Expired"), ExpiredError),
    "gone": (status(410, "Gone"), ExpiredError),
    "wrong": (status(422, "Invalid"), InvalidError),
    "not understood": (status(400, "BadRequest"), InvalidError),
    "too large": (status(413, "RequestEntityTooLarge"), InvalidError),
    "unknown": (status(401, "Unauthorized"), UnauthorizedError),
    "not allowed": (status(403, "Forbidden"), ForbiddenError),
    "no such verb": (status(405, "MethodNotAllowed"), UnsupportedError),
    "busy": (status(429, "TooManyRequests"), OverloadedError),
    "broken": (status(500, "InternalError"), OverloadedError),
    "full": (status(507, "InsufficientStorage"), OverloadedError),
    "plain text": (Answer(404, {}, b"404 page not found\n"), NotFoundError),
    "a page of a proxy": (Answer(502, {}, b"<html>Bad Gateway</html>"), OverloadedError),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_have_their_own_class(case: str) -> None:
    answer, want = REFUSALS[case]
    error = refusal_of(answer, "get pods n/a")
    assert type(error) is want
    assert error.message
    assert error.code


def test_forbidden_names_the_verb() -> None:
    assert refusal_of(status(403, "Forbidden"), "create pods n/a").hint.endswith("the right to create pods n/a")


def test_retry_after_is_in_the_header_or_in_the_details() -> None:
    by_header = refusal_of(Answer(429, {"retry-after": "7"}, b""), "x")
    by_details = refusal_of(status(503, "ServiceUnavailable", details={"retryAfterSeconds": 3}), "x")
    assert isinstance(by_header, OverloadedError)
    assert isinstance(by_details, OverloadedError)
    assert (by_header.retry_after, by_details.retry_after) == (7, 3)
    assert not may_have_happened(by_header)
    assert may_have_happened(by_details)


class Trimmed(msgspec.Struct):
    metadata: Metadata
    replicas: int = 0


def test_one_poisonous_object_does_not_hide_the_others() -> None:
    items = [{"metadata": {"name": "a"}, "replicas": 1}, {"metadata": {"name": "b"}, "replicas": "many"}]
    answer = Answer(200, {}, json.dumps({"metadata": {"resourceVersion": "9"}, "items": items}).encode())
    page, next_page = page_in(answer, POD, Trimmed)
    assert [item.metadata.name for item in page.items] == ["a"]
    assert (page.unreadable, page.revision, next_page) == (1, "9", "")


def test_whole_items_get_the_kind_that_servers_leave_out() -> None:
    answer = Answer(200, {}, b'{"metadata": {"continue": "more"}, "items": [{"metadata": {"name": "a"}}]}')
    page, next_page = page_in(answer, DEPLOYMENT, dict[str, Any])
    assert page.items == [{"metadata": {"name": "a"}, "apiVersion": "apps/v1", "kind": "Deployment"}]
    assert next_page == "more"


def test_lines_of_any_length_are_cut_where_they_end() -> None:
    long = b"x" * 1_000_000
    splitter = LineSplitter()
    stream = b"a\n\n" + long + b"\nb\nc"
    pieces = [stream[i : i + 65_536] for i in range(0, len(stream), 65_536)]
    assert [line for piece in pieces for line in splitter.feed(piece)] == [b"a", long, b"b"]
    assert splitter.feed(b"\n") == [b"c"]


def test_a_line_without_end_is_not_collected_for_ever() -> None:
    splitter = LineSplitter(limit=100)
    for _ in range(10):
        splitter.feed(b"x" * 10)
    with pytest.raises(BugError, match="more than 100 bytes"):
        splitter.feed(b"x")


def test_changes_before_an_error_are_kept() -> None:
    lines = [
        b'{"type":"ADDED","object":{"metadata":{"name":"a"},"replicas":1}}',
        b'{"type":"MODIFIED","object":{"metadata":{"name":"b"},"replicas":"many"}}',
        b'{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"12"}}}',
        b'{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}',
        b'{"type":"ADDED","object":{"metadata":{"name":"c"}}}',
    ]
    reader = ChangeReader("watch pods", Trimmed)
    changes = reader.read(lines)
    assert [(change.verb, change.revision) for change in changes] == [("ADDED", ""), ("BOOKMARK", "12")]
    assert reader.unreadable == 1
    assert isinstance(reader.refusal, ExpiredError)


LOST = UnreachableError("lost", delivered=True)
REFUSED = UnreachableError("refused", delivered=False)
READ, WRITE = calls.get(POD, KEY), calls.create(POD, NAMED, PLAIN, manager="m")
BUSY = Answer(429, {"retry-after": "2"}, b"")
DOWN = Answer(503, {}, b"")
OK = Answer(200, {}, b"{}")

CONVERSATIONS: dict[str, tuple[calls.Call, list[Any], str]] = {
    "a read whose answer was lost is repeated": (READ, [LOST, OK], "send pause send ok"),
    "a write whose answer was lost is not": (WRITE, [LOST], "send UnreachableError"),
    "a write that was refused at the door is": (WRITE, [REFUSED, REFUSED, OK], "send pause send pause send ok"),
    "a busy server is asked again when it says so": (WRITE, [BUSY, OK], "send pause send ok"),
    "a write that met a broken server is not repeated": (WRITE, [DOWN], "send OverloadedError"),
    "all things end": (READ, [LOST] * 4, "send pause send pause send pause send UnreachableError"),
    "new credentials are tried once": (READ, [Answer(401, {}, b""), True, OK], "send renew send ok"),
    "the same credentials are not": (READ, [Answer(401, {}, b""), False], "send renew UnauthorizedError"),
    "a second refusal is final": (
        READ,
        [Answer(401, {}, b""), True, Answer(401, {}, b"")],
        "send renew send UnauthorizedError",
    ),
    "a wait that is too long is the caller's": (
        READ,
        [Answer(429, {"retry-after": "600"}, b"")],
        "send OverloadedError",
    ),
}


@pytest.mark.parametrize("case", CONVERSATIONS)
def test_retries(case: str) -> None:
    call, told, want = CONVERSATIONS[case]
    assert " ".join(conversed(call, told)) == want


def conversed(call: calls.Call, told: list[Any]) -> list[str]:
    words = {Send: "send", Pause: "pause", Renew: "renew"}
    conversation = exchange(call, PATIENT, lambda: 0.5)
    heard: list[str] = []
    answer: Any = None
    while True:
        try:
            step = conversation.send(answer)
        except StopIteration:
            return [*heard, "ok"]
        except CorralError as error:
            return [*heard, type(error).__name__]
        heard.append(words[type(step)])
        answer = None if isinstance(step, Pause) else told.pop(0)


def test_waits_grow_are_scattered_and_follow_what_the_server_asks() -> None:
    policy = RetryPolicy(attempts=10, first_wait=1.0, longest_wait=4.0)
    assert [policy.wait_before_next(READ, LOST, n, 1.0) for n in (1, 2, 3, 4)] == [1, 2, 4, 4]
    assert policy.wait_before_next(READ, LOST, 1, 0.0) == 0.5
    assert policy.wait_before_next(READ, OverloadedError("x", retry_after=7.0), 1, 0.0) == 7.0
