"""What the threads that follow a job know together: its pods as last seen, and whether it has ended."""

import threading
from collections.abc import Callable, Iterable

from corral.control.desk.logs.sources import LoggedPod


class Board:
    """The pods of a job by uid; safe for several threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._pods: dict[str, LoggedPod] = {}
        self._is_over = False
        self._is_closed = False

    @property
    def is_over(self) -> bool:
        """Whether the job has ended, so that nothing new will start."""
        return self._is_over

    @property
    def is_closed(self) -> bool:
        """Whether nobody listens any more."""
        return self._is_closed

    def pods(self) -> list[LoggedPod]:
        """Returns the pods as last seen."""
        with self._changed:
            return list(self._pods.values())

    def pod(self, uid: str) -> LoggedPod | None:
        """Returns one pod, None when it is gone."""
        with self._changed:
            return self._pods.get(uid)

    def replace(self, pods: Iterable[LoggedPod]) -> None:
        """Takes a whole list: what is not on it is gone."""
        with self._changed:
            self._pods = {pod.uid: pod for pod in pods}
            self._changed.notify_all()

    def put(self, pod: LoggedPod) -> None:
        """Takes the news of one pod."""
        with self._changed:
            self._pods[pod.uid] = pod
            self._changed.notify_all()

    def drop(self, uid: str) -> None:
        """Takes note that a pod is gone."""
        with self._changed:
            self._pods.pop(uid, None)
            self._changed.notify_all()

    def end(self) -> None:
        """Takes note that the job has ended."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def close(self) -> None:
        """Tells all threads to stop."""
        with self._changed:
            self._is_closed = self._is_over = True
            self._changed.notify_all()

    def wait(self, happened: Callable[[], bool], seconds: float) -> None:
        """Returns when something has happened, or after so many seconds; the question is asked at every change."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or happened(), seconds)
