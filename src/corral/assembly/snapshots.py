"""Snapshots of clusters as files, and what a scheduler would make of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from corral.errors import PermanentError

if TYPE_CHECKING:
    from corral.control.scheduling.scenes.changes import Change
    from corral.control.scheduling.scenes.snapshot import Snapshot


_MANY = 500
"""With more pods each seed is worth a process of its own."""


class SnapshotFlags(NamedTuple):
    """What would be otherwise, as the command line says it."""

    add_nodes: int
    like: str
    without_nodes: tuple[str, ...]
    cordon: tuple[str, ...]
    uncordon: tuple[str, ...]
    queues: tuple[str, ...]
    without_jobs: tuple[str, ...]
    policy: str
    seeds: tuple[int, ...]
    plot: Path | None = None


def read_snapshot(path: Path) -> "Snapshot":
    """Returns the snapshot of a file."""
    from corral.control.scheduling.scenes.file_form import read

    try:
        return read(str(path), path.read_bytes())
    except OSError as error:
        hint = "make one with: corral simulate save FILE"
        raise PermanentError("unreadable-file", f"{path}: {error.strerror}", hint=hint) from error


def write_snapshot(snapshot: "Snapshot", path: Path) -> None:
    """Writes a snapshot into a file."""
    from corral.control.scheduling.scenes.file_form import written

    try:
        path.write_text(written(snapshot), encoding="utf-8")
    except OSError as error:
        hint = "name a file that can be written"
        raise PermanentError("unwritable-file", f"{path}: {error.strerror}", hint=hint) from error


def snapshot_text(snapshot: "Snapshot") -> str:
    """Returns a snapshot as the text of a file."""
    from corral.control.scheduling.scenes.file_form import written

    return written(snapshot)


def simulate_snapshot(snapshot: "Snapshot", flags: SnapshotFlags) -> dict[str, Any]:
    """Returns what a scheduler would make of a snapshot, and draws it when that is asked for."""
    from corral.assembly.simulation import each_seed
    from corral.control.scheduling.scenes.reporting import one_by_one, report_of

    if flags.plot is not None:
        from corral.adapters.pictures.traces import refuse_undrawable

        refuse_undrawable(flags.plot)
    each = each_seed if len(snapshot.pods) > _MANY else one_by_one
    report = report_of(snapshot, _changes(flags), flags.policy, flags.seeds, each)
    if flags.plot is not None:
        from corral.adapters.pictures.snapshots import draw_snapshot

        draw_snapshot(report, flags.plot)
    return report


def _changes(flags: SnapshotFlags) -> "Sequence[Change]":
    from corral.control.scheduling.scenes.changes import Closed, MoreNodes, WithoutJob, WithoutNode, queue_change

    if bool(flags.add_nodes) != bool(flags.like):
        hint = "both belong together: --add-nodes 2 --like gpu-3"
        raise PermanentError("bad-change", "of --add-nodes and --like only one is given", hint=hint)
    return [
        *([MoreNodes(flags.add_nodes, flags.like)] if flags.add_nodes else []),
        *(Closed(one) for one in flags.cordon),
        *(Closed(one, is_closed=False) for one in flags.uncordon),
        *(WithoutNode(one) for one in flags.without_nodes),
        *(queue_change(one) for one in flags.queues),
        *(WithoutJob(one) for one in flags.without_jobs),
    ]
