"""Logs are found by job after their pod is gone, newest first, until a limit is reached."""

import os
from pathlib import Path

from corral.engine.node.logs.archive import described, drop_early_runs, kept_runs, note_end, note_pod, sweep
from corral.engine.node.logs.retention import Retention
from corral.kinds.objects import Object
from corral.kinds.training.label_names import JOB_NAME


def _pod(name: str, *, owner: str = "", job: str = "") -> Object:
    meta: Object = {
        "namespace": "team",
        "name": name,
        "uid": f"uid-of-{name}",
        "labels": {JOB_NAME: job} if job else {},
    }
    if owner:
        meta["ownerReferences"] = [{"kind": "PyTorchJob", "name": owner, "controller": True}]
    return {"metadata": meta}


def _kept(logs: Path, pod: Object, at: float, *, runs: int = 1, said: bytes = b"hello\n") -> str:
    kept = described(pod)
    folder = logs / kept.namespace / f"{kept.name}_{kept.uid}"
    note_pod(str(folder), kept)
    (folder / "main").mkdir()
    for run in range(runs):
        path = folder / "main" / f"{run}.log"
        path.write_bytes(said)
        os.utime(path, (at + run, at + run))
    return str(folder)


def test_a_job_s_logs_are_found_by_owner_and_label_newest_first(tmp_path: Path) -> None:
    _kept(tmp_path, _pod("digits-worker-0", owner="digits"), 100)
    _kept(tmp_path, _pod("digits-launcher-x7", owner="digits-launcher", job="digits"), 50, runs=2)
    _kept(tmp_path, _pod("other", owner="another"), 200)
    found = kept_runs(str(tmp_path), "team", "digits")
    told = [(each.pod.name, each.container, each.log.run) for each in found]
    assert told == [
        ("digits-worker-0", "main", 0),
        ("digits-launcher-x7", "main", 1),
        ("digits-launcher-x7", "main", 0),
    ]
    assert Path(found[0].log.path).read_bytes() == b"hello\n"


def test_a_pod_is_found_by_its_own_name(tmp_path: Path) -> None:
    _kept(tmp_path, _pod("alone"), 100)
    assert [each.pod.uid for each in kept_runs(str(tmp_path), "team", "alone")] == ["uid-of-alone"]
    assert kept_runs(str(tmp_path), "elsewhere", "alone") == []


def test_two_pods_of_one_name_are_told_apart(tmp_path: Path) -> None:
    first, second = _pod("again"), _pod("again")
    second["metadata"]["uid"] = "another"
    _kept(tmp_path, first, 100)
    _kept(tmp_path, second, 200)
    assert [each.pod.uid for each in kept_runs(str(tmp_path), "team", "again")] == ["another", "uid-of-again"]


def test_an_end_is_noted_once(tmp_path: Path) -> None:
    folder = _kept(tmp_path, _pod("alone"), 100)
    note_end(folder, 500.0)
    note_end(folder, 600.0)
    assert kept_runs(str(tmp_path), "team", "alone")[0].pod.ended == 500.0
    note_end(str(tmp_path / "nowhere"), 1.0)


def test_what_is_over_the_limits_is_removed_and_the_rest_stays(tmp_path: Path) -> None:
    folders = [_kept(tmp_path, _pod(f"pod-{number}"), 100.0, said=b"x" * 100_000) for number in range(5)]
    for number, folder in enumerate(folders):
        note_end(folder, 1000.0 + number)
    limit = Retention(most_bytes=250_000, most_seconds=1e9, most_pods=100)
    removed = sweep(str(tmp_path), {"uid-of-pod-0"}, 2000.0, limit)
    assert [each.uid for each in removed] == ["uid-of-pod-1", "uid-of-pod-2", "uid-of-pod-3"]
    assert sorted(os.listdir(tmp_path / "team")) == ["pod-0_uid-of-pod-0", "pod-4_uid-of-pod-4"]
    assert sweep(str(tmp_path), (), 1e12, limit)
    assert os.listdir(tmp_path) == []


def test_a_folder_without_a_note_goes_by_its_last_word(tmp_path: Path) -> None:
    folder = _kept(tmp_path, _pod("unnoted"), 100)
    os.remove(os.path.join(folder, "pod.json"))
    limit = Retention(most_seconds=1000.0)
    assert sweep(str(tmp_path), {"uid-of-unnoted"}, 1e6, limit) == []
    assert sweep(str(tmp_path), (), 500.0, limit) == []
    assert [each.uid for each in sweep(str(tmp_path), (), 1e6, limit)] == ["uid-of-unnoted"]


def test_no_logs_at_all_are_no_problem(tmp_path: Path) -> None:
    assert sweep(str(tmp_path / "nowhere"), (), 0.0) == []
    assert kept_runs(str(tmp_path / "nowhere"), "team", "job") == []


def test_a_container_that_crashes_for_days_keeps_the_logs_of_its_last_runs(tmp_path: Path) -> None:
    container = Path(_kept(tmp_path, _pod("crashing"), 100, runs=300)) / "main"
    (container / "0.index").write_bytes(b"")
    drop_early_runs(str(container), 10)
    assert [each.log.run for each in kept_runs(str(tmp_path), "team", "crashing")] == list(range(299, 289, -1))
    assert len(list(container.iterdir())) == 10
