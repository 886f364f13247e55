"""Whatever is done to the files: the server starts with exactly what was acknowledged, or refuses and says why."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from corral.errors import PermanentError
from tests.api_process import ApiProcess
from tests.durability.state_files import State, crashed, files_in, filled, lay, read

FULL = bool(os.environ.get("CORRAL_TEST_FULL"))
SAMPLE = 250
"""How many places of a file are damaged; the full run alters every byte, and cuts at every seventh."""

Files = dict[str, bytes]


class Snapshot:
    """Files, and the state that they stand for."""

    def __init__(self, state: State, files: Files) -> None:
        self.state = state
        self.files = files


@pytest.fixture(scope="module")
def after_kill(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A file with most of its state still in the write-ahead log."""
    home = tmp_path_factory.mktemp("after-kill")
    filled(home / "live", 12)
    state = crashed(home / "live", home / "copy", 5)
    return Snapshot(state, files_in(home / "copy"))


@pytest.fixture(scope="module")
def after_stop(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A file that was closed in order; it has no write-ahead log."""
    home = tmp_path_factory.mktemp("after-stop")
    state = filled(home, 40)
    assert "state.db-wal" not in files_in(home)
    return Snapshot(state, files_in(home))


def judged(snapshot: Snapshot, files: Files, scratch: Path) -> str:
    """Returns `same` or the refusal; fails on anything else, and when a refused file was touched."""
    refusal, found = _opened(lay(scratch, files))
    if refusal is None:
        assert found == snapshot.state, "wrong data was served"
        return "same"
    assert str(scratch / "state.db") in refusal.message
    assert refusal.hint
    kept = files_in(scratch)
    touched = [name for name in files if name != "acknowledged" and kept.get(name) != files[name]]
    assert not touched, f"refused and changed: {refusal}"
    return refusal.code


def _opened(directory: Path) -> tuple[PermanentError | None, State | None]:
    try:
        return None, read(directory)
    except PermanentError as error:
        return error, None


def places(size: int, seed: int, step: int = 1) -> Iterator[int]:
    if FULL or size <= SAMPLE:
        return iter(range(0, size, step if size > SAMPLE else 1))
    # The first bytes are headers: always all of them.
    return iter(sorted({*range(110), *random.Random(seed).sample(range(size), SAMPLE)}))


def flipped(content: bytes, place: int, bit: int) -> bytes:
    return content[:place] + bytes([content[place] ^ (1 << bit)]) + content[place + 1 :]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["state.db", "state.db-wal", "acknowledged"])
def test_no_altered_byte_after_a_kill_is_served(after_kill: Snapshot, quick_path: Path, name: str) -> None:
    """Invariants S2 and S6."""
    _flip_over(after_kill, quick_path, name)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["state.db", "acknowledged"])
def test_no_altered_byte_after_a_stop_is_served(after_stop: Snapshot, quick_path: Path, name: str) -> None:
    _flip_over(after_stop, quick_path, name)


def _flip_over(snapshot: Snapshot, quick_path: Path, name: str) -> None:
    content = snapshot.files[name]
    for place in places(len(content), 1):
        files = {**snapshot.files, name: flipped(content, place, place % 8)}
        try:
            judged(snapshot, files, quick_path / "scratch")
        except BaseException as error:
            raise AssertionError(f"{name}, bit {place % 8} of byte {place}") from error


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["state.db", "state.db-wal", "acknowledged"])
def test_no_cut_file_after_a_kill_is_served(after_kill: Snapshot, quick_path: Path, name: str) -> None:
    _cut_over(after_kill, quick_path, name)


@pytest.mark.timeout(1800)
def test_no_cut_file_after_a_stop_is_served(after_stop: Snapshot, quick_path: Path) -> None:
    _cut_over(after_stop, quick_path, "state.db")


def _cut_over(snapshot: Snapshot, quick_path: Path, name: str) -> None:
    content = snapshot.files[name]
    for size in places(len(content), 2, step=7):
        try:
            judged(snapshot, {**snapshot.files, name: content[:size]}, quick_path / "scratch")
        except BaseException as error:
            raise AssertionError(f"{name} cut to {size} of {len(content)} bytes") from error


@pytest.mark.parametrize("seed", range(60 if FULL else 20))
def test_no_overwritten_block_is_served(after_kill: Snapshot, quick_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    name = dice.choice(["state.db", "state.db-wal"])
    content = after_kill.files[name]
    start, size = dice.randrange(len(content)), dice.choice([1, 16, 512, 4096])
    block = dice.choice([bytes(size), dice.randbytes(size), content[:size]])
    altered = (content[:start] + block + content[start + size :])[: len(content)]
    judged(after_kill, {**after_kill.files, name: altered}, quick_path / "scratch")


def test_a_missing_state_file_is_a_loss_and_not_a_new_beginning(after_stop: Snapshot, quick_path: Path) -> None:
    files = {name: content for name, content in after_stop.files.items() if name != "state.db"}
    assert judged(after_stop, files, quick_path / "scratch") == "state-damaged"
    assert not (quick_path / "scratch" / "state.db").exists()


def test_a_missing_write_ahead_log_is_a_loss(after_kill: Snapshot, quick_path: Path) -> None:
    files = {name: content for name, content in after_kill.files.items() if name != "state.db-wal"}
    assert judged(after_kill, files, quick_path / "scratch") == "state-damaged"


def test_a_state_file_that_vanished_from_beside_its_log_is_a_loss(after_kill: Snapshot, quick_path: Path) -> None:
    files = {"state.db-wal": after_kill.files["state.db-wal"]}
    assert judged(after_kill, files, quick_path / "scratch") == "state-damaged"


def test_a_lost_mark_alone_loses_nothing(after_kill: Snapshot, quick_path: Path) -> None:
    files = {name: content for name, content in after_kill.files.items() if name != "acknowledged"}
    assert judged(after_kill, files, quick_path / "scratch") == "same"


@pytest.mark.parametrize("kept", [["state.db"], ["state.db", "state.db-wal"], ["state.db-wal"]])
def test_an_older_copy_is_not_served(tmp_path: Path, quick_path: Path, kept: list[str]) -> None:
    """Invariant S3."""
    live = tmp_path / "live"
    crashed(live, tmp_path / "older", 20)
    filled(live, 10, first=20)
    state = crashed(live, tmp_path / "newer", 10)
    older, newer = files_in(tmp_path / "older"), files_in(tmp_path / "newer")
    files = {**newer, **{name: older[name] for name in kept}}
    if "state.db-wal" not in kept:
        files.pop("state.db-wal", None)
    assert judged(Snapshot(state, newer), files, quick_path / "scratch") == "state-damaged"


def test_a_file_of_another_program_is_left_alone(quick_path: Path) -> None:
    scratch = quick_path / "scratch"
    scratch.mkdir()
    other = apsw.Connection(str(scratch / "state.db"))
    other.execute("CREATE TABLE theirs (x); PRAGMA user_version=3; PRAGMA application_id=77")
    other.close()
    before = files_in(scratch)
    with pytest.raises(PermanentError) as refusal:
        read(scratch)
    assert refusal.value.code == "state-foreign"
    assert files_in(scratch)["state.db"] == before["state.db"]


def test_a_refusing_server_says_what_it_found_and_exits_with_70(after_kill: Snapshot, tmp_path: Path) -> None:
    api = ApiProcess(tmp_path)
    try:
        content = after_kill.files["state.db-wal"]
        lay(api.data, {**after_kill.files, "state.db-wal": content[: len(content) // 2]})
        api.start()
        assert api.wait() == 70
        told = api.log_text().splitlines()
        assert len(told) == 2, told
        assert told[0].startswith(f"error: the state file {api.data / 'state.db'} is damaged: it ends at revision ")
        assert told[1].startswith("hint: `corral doctor --salvage`")
    finally:
        api.close()
