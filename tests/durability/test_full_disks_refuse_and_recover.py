"""No room left: writes are refused in clear words, reads and watches go on, and writing resumes when room returns."""

import json
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api_process import TOKEN, Answer, ApiProcess

PATH = "/api/v1/namespaces/default/configmaps"
SMALL, LARGE = 1 << 20, 16 << 20
ON_SMALL_DISK = ["small-disk"] if os.geteuid() == 0 else []
"""Mounting needs root; the limit on file sizes, which quotas resemble, works for everybody."""


class SmallRoom:
    """A server whose state has no more than a megabyte of room."""

    def __init__(self, api: ApiProcess, way: str) -> None:
        self.api = api
        self.way = way

    def start(self) -> None:
        self.api.start(file_limit=SMALL if self.way == "file-limit" else 0)

    def enlarge(self) -> None:
        if self.way == "file-limit":
            unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.prlimit(self.api.pid, resource.RLIMIT_FSIZE, unlimited)
        else:
            subprocess.run(["mount", "-o", f"remount,size={LARGE}", str(self.api.data)], check=True)

    def create(self, number: int, size: int = 16_000) -> Answer:
        obj = {"metadata": {"name": f"map-{number}"}, "data": {"text": f"{number} " + "z" * size}}
        return self.api.ask("POST", PATH, obj)

    def fill(self) -> dict[str, str]:
        """Creates objects until one is refused; returns the acknowledged ones with their revisions."""
        acknowledged: dict[str, str] = {}
        for number in range(1000):
            answer = self.create(number)
            if answer.status != 201:
                assert (answer.status, answer.reason) == (507, "InsufficientStorage"), answer
                assert "the disk is full, nothing was stored" in answer.message
                return acknowledged
            acknowledged[f"map-{number}"] = answer.json["metadata"]["resourceVersion"]
        raise AssertionError("the disk was never full")

    def found(self) -> dict[str, str]:
        items = self.api.ask("GET", PATH).json["items"]
        for item in items:
            assert item["data"]["text"].startswith(item["metadata"]["name"].removeprefix("map-") + " zzz")
            assert len(item["data"]["text"]) > 16_000
        return {item["metadata"]["name"]: item["metadata"]["resourceVersion"] for item in items}


@pytest.fixture(params=["file-limit", *ON_SMALL_DISK])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SmallRoom]:
    api = ApiProcess(tmp_path)
    api.data.mkdir()
    if request.param == "small-disk":
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(api.data)], check=True)
    try:
        room = SmallRoom(api, request.param)
        room.start()
        yield room
    finally:
        api.close()
        if request.param == "small-disk":
            subprocess.run(["umount", str(api.data)], check=True)


def test_writes_are_refused_and_everything_else_goes_on(room: SmallRoom) -> None:
    acknowledged = room.fill()
    assert len(acknowledged) > 15
    assert room.create(5000).status == 507
    patch = room.api.ask("PATCH", f"{PATH}/map-1", {"data": {"more": "y" * 90_000}}, MERGE)
    assert patch.status == 507
    assert room.found() == acknowledged
    assert room.api.ask("GET", f"{PATH}/map-3").json["metadata"]["resourceVersion"] == acknowledged["map-3"]
    watched = room.api.ask("GET", f"{PATH}?watch=true&resourceVersion={acknowledged['map-3']}&timeoutSeconds=1")
    names = [json.loads(line)["object"]["metadata"]["name"] for line in watched.body.splitlines()]
    assert names == [f"map-{n}" for n in range(4, len(acknowledged))]
    assert room.create(5001).status == 507
    ready = room.api.ask("GET", "/readyz")
    assert (ready.status, b"[-]storage failed: the disk is full" in ready.body) == (500, True)
    assert room.api.ask("GET", "/livez").status == 200, "a restart would not make room"
    assert "Traceback" not in room.api.log_text()


def test_writing_resumes_by_itself_when_room_returns(room: SmallRoom) -> None:
    """Invariant S5."""
    acknowledged = room.fill()
    room.enlarge()
    answer = room.create(7000)
    assert answer.status == 201
    assert room.api.ask("GET", "/readyz").status == 200
    acknowledged["map-7000"] = answer.json["metadata"]["resourceVersion"]
    assert int(answer.json["metadata"]["resourceVersion"]) > max(map(int, [*acknowledged.values()][:-1]))
    assert room.api.end(9) == -9
    room.start()
    assert room.found() == acknowledged


def test_a_start_on_a_full_disk_serves_what_there_is(room: SmallRoom) -> None:
    acknowledged = room.fill()
    assert room.api.end(9) == -9
    room.start()
    assert room.found() == acknowledged
    assert room.create(6000, 400_000).status == 507
    room.enlarge()
    assert room.create(6001).status == 201


def test_a_stop_on_a_full_disk_loses_nothing(room: SmallRoom) -> None:
    acknowledged = room.fill()
    assert room.api.end(15) in (0, -15)
    room.start()
    assert room.found() == acknowledged


def test_the_write_ahead_log_is_merged_before_a_write_is_refused(tmp_path: Path) -> None:
    api = ApiProcess(tmp_path)
    try:
        api.start(file_limit=SMALL)
        room = SmallRoom(api, "file-limit")
        assert len(room.fill()) > SMALL // 24_000, "more than the log alone would hold"
    finally:
        api.close()


def test_a_first_start_without_room_says_so(tmp_path: Path) -> None:
    api = ApiProcess(tmp_path)
    try:
        api.start(file_limit=2000)
        assert api.wait() == 75
        told = api.log_text().splitlines()
        assert told[0].startswith(f"error: there is no room for the state file {api.data / 'state.db'}")
        assert told[1].startswith("hint: make room")
        assert len(told) == 2
        api.start()
        assert api.ask("GET", PATH).status == 200
    finally:
        api.close()


MERGE = {"Content-Type": "application/merge-patch+json", "Authorization": f"Bearer {TOKEN}"}
