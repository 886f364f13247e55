"""Logs of pods that are gone, told like those of pods that are there."""

from collections.abc import Iterator, Sequence

from corral.control.desk.jobs.members import member_of
from corral.control.desk.logs.cursor import LogCursor, Piece, nanoseconds
from corral.control.desk.logs.sources import Choice, LoggedPod, LoggedSpec, LoggedStatus, NamedContainer
from corral.kinds.objects import Metadata
from corral.ports.kept_logs import KeptLog

GONE = "Gone"
"""The phase of a pod that the API does not know any more."""


def pods_gone(kept: Sequence[KeptLog], there: set[str], namespace: str, *, since: float) -> list[LoggedPod]:
    """Returns the pods that left logs and are not there any more, of those that said something after a time."""
    found: dict[str, LoggedPod] = {}
    for one in sorted(kept, key=lambda log: (log.last_said, log.run)):
        if one.uid in there or one.last_said < since:
            continue
        pod = found.get(one.uid) or _ghost(one, namespace)
        if one.container not in [each.name for each in pod.spec.containers]:
            pod.spec.containers.append(NamedContainer(name=one.container))
        found[one.uid] = pod
    return list(found.values())


def latest_of_each_place(pods: Sequence[LoggedPod]) -> list[LoggedPod]:
    """Returns of several pods of one place the last: of a job that is gone, those before may be of another one."""
    return list({member_of(pod).label: pod for pod in pods}.values())


def _ghost(log: KeptLog, namespace: str) -> LoggedPod:
    metadata = Metadata(name=log.pod, namespace=namespace, uid=log.uid, labels=dict(log.labels))
    return LoggedPod(metadata=metadata, spec=LoggedSpec(), status=LoggedStatus(phase=GONE))


def read_kept(kept: Sequence[KeptLog], uid: str, container: str, choice: Choice, now: float) -> Iterator[list[Piece]]:
    """Yields what the runs of one container said, or only the last lines, or only the run before the last."""
    runs = sorted((one for one in kept if (one.uid, one.container) == (uid, container)), key=lambda one: one.run)
    if choice.previous:
        runs = runs[-2:-1]
    begin = 0.0 if choice.since is None else (now - choice.since) * 1e9
    if choice.since_time:
        begin = float(nanoseconds(choice.since_time.encode()))
    if choice.tail is None:
        for piece in _pieces(runs, begin):
            yield [piece]
        return
    for last_bytes in _LAST_BYTES:
        lines = _last_lines(_pieces(runs[-1:] if last_bytes else runs, begin, last_bytes), choice.tail)
        if sum(piece.starts for piece in lines) == choice.tail or not last_bytes:
            yield lines
            return


_LAST_BYTES = (1 << 16, 1 << 22, 0)
"""How much of the end is looked at for the last lines; 0 is everything, when there was less in it."""


def rest_of(log: KeptLog, cursor: LogCursor) -> Iterator[list[Piece]]:
    """Yields what a log holds behind the place of a cursor."""
    begin = nanoseconds(cursor.resumes_from.encode()) if cursor.has_begun else 0
    cursor.begin()
    for data in _since(log.read(0), begin):
        yield cursor.feed(data)
        if cursor.is_lost:
            yield cursor.go_on_regardless()
    yield cursor.finish()
    if cursor.is_lost:
        yield cursor.go_on_regardless()


def _since(stream: Iterator[bytes], begin: int) -> Iterator[bytes]:
    """Yields a log from the first line on that is not older than a moment, as a server does."""
    waiting, is_passing = b"", begin > 0
    for data in stream:
        if not is_passing:
            yield data
            continue
        *lines, waiting = (waiting + data).split(b"\n")
        for number, line in enumerate(lines):
            if nanoseconds(line.partition(b" ")[0]) >= begin:
                yield b"\n".join([*lines[number:], waiting])
                is_passing, waiting = False, b""
                break
    if waiting and nanoseconds(waiting.partition(b" ")[0]) >= begin:
        yield waiting


def _pieces(logs: Sequence[KeptLog], begin: float, last_bytes: int = 0) -> Iterator[Piece]:
    for log in logs:
        cursor = LogCursor()
        cursor.begin()
        for data in log.read(last_bytes):
            yield from (piece for piece in cursor.feed(data) if not begin or nanoseconds(piece.stamp) >= begin)
        yield from cursor.finish()


def _last_lines(pieces: Iterator[Piece], count: int) -> list[Piece]:
    lines: list[list[Piece]] = []
    for piece in pieces:
        if piece.starts or not lines:
            lines.append([])
            del lines[: -count or None]
        if lines:
            lines[-1].append(piece)
    return [piece for line in lines[-count:] for piece in line] if count else []
