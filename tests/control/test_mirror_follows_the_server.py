"""The replica against a model server: whatever comes twice, late, out of order or not at all, a list puts it right.

The model server keeps a log of writes with growing revisions. Hypothesis delivers the log in a disturbed order, re-lists
at random, and at the end lists once more: then replica, indexes and the subscriber's picture must equal the server's state.
"""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from corral.control.mirror import Delta, Mirror
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.ports.object_store import Change


def obj(name: str, uid: str, version: int, team: str = "") -> Object:
    return {
        "metadata": {"name": name, "namespace": "n", "uid": uid, "resourceVersion": str(version)},
        "team": team,
    }


def change(verb: str, item: Object) -> Change[Object]:
    return Change(verb, item)


def key(name: str) -> ObjectKey:
    return ObjectKey("n", name)


def test_an_old_version_changes_nothing() -> None:
    mirror: Mirror[Object] = Mirror()
    mirror.apply([change("ADDED", obj("a", "u", 5))])
    assert mirror.apply([change("MODIFIED", obj("a", "u", 4)), change("MODIFIED", obj("a", "u", 5))]) == []
    assert mirror.revision == "5"


def test_late_news_does_not_bring_a_deleted_object_back() -> None:
    mirror: Mirror[Object] = Mirror()
    mirror.apply([change("ADDED", obj("a", "u", 5)), change("DELETED", obj("a", "u", 9))])
    assert mirror.apply([change("MODIFIED", obj("a", "u", 7))]) == []
    assert mirror.get(key("a")) is None


def test_a_successor_of_the_same_name_is_not_ended_by_the_late_end_of_the_first() -> None:
    mirror: Mirror[Object] = Mirror()
    mirror.apply([change("ADDED", obj("a", "first", 5)), change("ADDED", obj("a", "second", 8))])
    assert mirror.apply([change("DELETED", obj("a", "first", 7))]) == []
    assert mirror.get(key("a")) == obj("a", "second", 8)


def test_what_a_list_lacks_was_deleted_and_is_told() -> None:
    """Invariant C2."""
    mirror: Mirror[Object] = Mirror()
    mirror.replace([obj("a", "u", 1), obj("b", "v", 2)], "2")
    assert mirror.replace([obj("b", "v", 2)], "9") == [Delta(key("a"), obj("a", "u", 1), None)]


def test_what_did_not_change_is_not_told() -> None:
    mirror: Mirror[Object] = Mirror()
    mirror.replace([obj("a", "u", 1)], "2")
    assert mirror.replace([obj("a", "u", 1)], "9") == []


def test_a_list_that_is_not_believed_deletes_nothing_but_later_news_counts() -> None:
    """Invariant C1."""
    mirror: Mirror[Object] = Mirror()
    mirror.replace([obj("a", "u", 50), obj("b", "v", 60)], "70")
    assert mirror.replace([obj("b", "v", 10)], "20", absent_is_deleted=False) == [
        Delta(key("b"), obj("b", "v", 60), obj("b", "v", 10))
    ]
    assert mirror.revision == "20"
    assert mirror.apply([change("DELETED", obj("a", "u", 25))]) == [Delta(key("a"), obj("a", "u", 50), None)]


def test_versions_that_are_no_numbers_count_in_order_of_arrival() -> None:
    mirror: Mirror[Object] = Mirror()
    first, second = obj("a", "u", 1), obj("a", "u", 2)
    first["metadata"]["resourceVersion"], second["metadata"]["resourceVersion"] = "z", "b"
    mirror.apply([change("ADDED", first), change("MODIFIED", second)])
    assert mirror.get(key("a")) == second
    assert mirror.revision == "b"


def test_an_object_that_an_index_cannot_read_is_in_no_index() -> None:
    mirror: Mirror[Object] = Mirror({"team": lambda held: [held["spec"]["team"]]})
    mirror.apply([change("ADDED", obj("poison", "u", 1)), change("ADDED", obj("b", "v", 2) | {"spec": {"team": "x"}})])
    assert [held["metadata"]["name"] for held in mirror.by_index("team", "x")] == ["b"]
    assert len(mirror) == 2
    mirror.apply([change("DELETED", obj("poison", "u", 3))])
    assert len(mirror) == 1


class ModelServer:
    """What an API server promises: one log, growing revisions, names reused with new uids."""

    def __init__(self) -> None:
        self.state: dict[str, Object] = {}
        self.log: list[Change[Object]] = []
        self.revision = 0

    def write(self, name: str, wish: str, team: str) -> None:
        self.revision += 1
        held = self.state.get(name)
        if wish == "delete":
            if held is not None:
                del self.state[name]
                gone = obj(name, held["metadata"]["uid"], self.revision, held["team"])
                self.log.append(change("DELETED", gone))
            return
        uid = held["metadata"]["uid"] if held is not None else f"{name}-{self.revision}"
        self.state[name] = obj(name, uid, self.revision, team)
        self.log.append(change("MODIFIED" if held is not None else "ADDED", self.state[name]))


class Picture:
    """What a subscriber knows that sees differences only."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}

    def see(self, deltas: list[Delta[Object]]) -> None:
        for delta in deltas:
            assert self.state.get(delta.key.name) == delta.old
            if delta.new is None:
                del self.state[delta.key.name]
            else:
                self.state[delta.key.name] = delta.new


names = st.sampled_from(["a", "b", "c"])
writes = st.tuples(names, st.sampled_from(["put", "put", "delete"]), st.sampled_from(["x", "y"]))


@settings(max_examples=300, deadline=None)
@given(st.lists(writes, max_size=30), st.data())
def test_any_order_of_news_with_lists_between_ends_in_the_state_of_the_server(
    wishes: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    server, picture = ModelServer(), Picture()
    mirror: Mirror[Object] = Mirror({"team": lambda held: [held["team"]]})
    pending: list[Change[Object]] = []
    for wish in wishes:
        before = len(server.log)
        server.write(*wish)
        pending += server.log[before:]
        fate = data.draw(st.sampled_from(["wait", "deliver", "twice", "shuffle", "drop", "list"]))
        if fate == "list":
            picture.see(mirror.replace(list(server.state.values()), str(server.revision)))
        elif fate == "drop":
            pending.clear()
        elif fate != "wait":
            batch = data.draw(st.permutations(pending)) if fate == "shuffle" else list(pending)
            picture.see(mirror.apply(batch * (2 if fate == "twice" else 1)))
            if data.draw(st.booleans()):
                pending.clear()  # else all of it comes again, later
    picture.see(mirror.replace(list(server.state.values()), str(server.revision)))
    picture.see(mirror.apply(server.log))  # all old news by now
    assert {held["metadata"]["name"]: held for held in mirror} == server.state == picture.state
    for team in ("x", "y"):
        want = {name for name, held in server.state.items() if held["team"] == team}
        assert {held["metadata"]["name"] for held in mirror.by_index("team", team)} == want


@settings(max_examples=200, deadline=None)
@given(st.lists(writes, max_size=30), st.data())
def test_news_in_any_order_without_loss_needs_no_list(wishes: list[tuple[str, str, str]], data: st.DataObject) -> None:
    server, picture = ModelServer(), Picture()
    for wish in wishes:
        server.write(*wish)
    mirror: Mirror[Object] = Mirror()
    picture.see(mirror.apply(data.draw(st.permutations(server.log + server.log))))
    assert {held["metadata"]["name"]: held for held in mirror} == server.state == picture.state
