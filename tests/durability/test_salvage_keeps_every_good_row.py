"""Salvage: every row that can be read is kept, what is lost is named, and the damaged files stay."""

import random
from pathlib import Path

import pytest

from corral.engine.apiserver.storage.inspection import inspect
from corral.engine.apiserver.storage.salvage import Salvage, salvage
from corral.errors import CorralError
from tests.api_process import ApiProcess
from tests.durability.state_files import State, crashed, files_in, filled, lay, read


def salvaged(directory: Path) -> tuple[Salvage, State]:
    outcome = salvage(directory)
    assert outcome is not None
    return outcome, read(directory)


@pytest.fixture
def after_kill(quick_path: Path) -> tuple[State, dict[str, bytes]]:
    filled(quick_path / "live", 12)
    state = crashed(quick_path / "live", quick_path / "copy", 60)
    return state, files_in(quick_path / "copy")


Crash = tuple[State, dict[str, bytes]]


def test_good_files_are_left_alone(quick_path: Path) -> None:
    state = filled(quick_path / "state", 20)
    assert inspect(quick_path / "state").code == "good"
    assert salvage(quick_path / "state") is None
    assert read(quick_path / "state") == state
    assert inspect(quick_path / "nothing").code == "absent"
    assert salvage(quick_path / "nothing") is None


def test_a_bad_frame_in_the_log_costs_nothing_that_is_written_elsewhere(after_kill: Crash, quick_path: Path) -> None:
    state, files = after_kill
    wal = bytearray(files["state.db-wal"])
    wal[40] ^= 1  # in the head of the first frame: SQLite would drop everything that follows
    directory = lay(quick_path / "state", {**files, "state.db-wal": bytes(wal)})
    assert inspect(directory).is_damaged
    outcome, found = salvaged(directory)
    assert found.objects == state.objects
    assert found.revision == found.floor == state.revision
    assert outcome.losses == ()
    assert inspect(directory).code == "good"


def test_a_lost_header_costs_nothing_else(quick_path: Path) -> None:
    state = filled(quick_path / "live", 60)
    files = files_in(quick_path / "live")
    broken = bytes(100) + files["state.db"][100:]
    outcome, found = salvaged(lay(quick_path / "state", {**files, "state.db": broken}))
    assert found.objects == state.objects
    assert outcome.losses == ()
    assert [path.name.startswith("state.db.damaged-2") for path in outcome.kept] == [True]
    assert outcome.kept[0].read_bytes() == broken, "the damaged file is kept as it was"


def test_an_altered_row_is_named_and_the_rest_is_kept(quick_path: Path) -> None:
    state = filled(quick_path / "live", 40)
    files = files_in(quick_path / "live")
    key = max(state.objects, key=lambda k: len(state.objects[k]))
    place = files["state.db"].rindex(state.objects[key])
    altered = bytearray(files["state.db"])
    altered[place + 10] ^= 4
    directory = lay(quick_path / "state", {**files, "state.db": bytes(altered)})
    outcome, found = salvaged(directory)
    assert len(outcome.losses) == 1
    assert key.removeprefix("/").replace("/", " ", 1) in outcome.losses[0]
    others = {k: v for k, v in state.objects.items() if k != key}
    assert {k: v for k, v in found.objects.items() if k != key} == others
    assert found.objects.get(key) != state.objects[key]


def test_a_lost_log_is_named_by_its_revisions(after_kill: Crash, quick_path: Path) -> None:
    state, files = after_kill
    files.pop("state.db-wal")
    outcome, found = salvaged(lay(quick_path / "state", files))
    assert outcome.losses == (f"revisions 13 to {state.revision} are missing",)
    assert found.revision >= state.revision, "no revision is given twice"


def test_a_lost_state_file_leaves_an_empty_one_at_a_later_revision(quick_path: Path) -> None:
    state = filled(quick_path / "live", 9)
    mark = {"acknowledged": files_in(quick_path / "live")["acknowledged"]}
    outcome, found = salvaged(lay(quick_path / "state", mark))
    assert outcome.objects == 0
    assert found.objects == {}
    assert found.revision == state.revision


@pytest.mark.parametrize("seed", range(25))
def test_whatever_is_overwritten_the_outcome_can_be_opened_and_invents_nothing(
    after_kill: Crash, quick_path: Path, seed: int
) -> None:
    state, files = after_kill
    dice = random.Random(seed)
    name = dice.choice(["state.db", "state.db-wal"])
    content = bytearray(files[name])
    for _ in range(dice.choice([1, 3, 10])):
        start = dice.randrange(len(content))
        content[start : start + 64] = dice.randbytes(len(content[start : start + 64]))
    directory = lay(quick_path / "state", {**files, name: bytes(content)})
    outcome = salvage(directory)
    found = read(directory)
    assert found.revision >= state.revision
    assert inspect(directory).code == "good"
    if outcome is not None and not outcome.losses:
        assert found.objects == state.objects
    for key, value in found.objects.items():
        assert value in files["state.db"] + files["state.db-wal"] or len(value) > 400, key


def test_an_interrupted_run_is_finished_by_the_next(
    after_kill: Crash, quick_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, files = after_kill
    wal = bytearray(files["state.db-wal"])
    wal[40] ^= 1
    directory = lay(quick_path / "state", {**files, "state.db-wal": bytes(wal)})
    with monkeypatch.context() as patching:

        def broken(source: object, target: object) -> None:
            raise KeyboardInterrupt

        patching.setattr("corral.engine.apiserver.storage.salvage.os.link", broken)
        with pytest.raises(KeyboardInterrupt):
            salvage(directory)
    _, found = salvaged(directory)
    assert found.objects == state.objects


def test_a_file_in_use_is_neither_examined_nor_salvaged(tmp_path: Path) -> None:
    with ApiProcess(tmp_path) as api:
        assert api.ask("GET", "/readyz").status == 200
        assert inspect(api.data).code == "state-in-use"
        with pytest.raises(CorralError) as refusal:
            salvage(api.data)
        assert refusal.value.code == "state-in-use"
