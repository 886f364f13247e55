"""Judging a job once for each change of what its user wrote, not once for each change of its pods."""

from dataclasses import replace
from typing import Any, NamedTuple

from corral.kinds.objects import Object, key_of
from corral.kinds.references import ObjectKey
from corral.reconcile.training.conditions import is_finished
from corral.reconcile.training.decision import Examined, examined
from corral.reconcile.training.told_before import status_of


class _Found(NamedTuple):
    words: tuple[Any, ...]
    examined: Examined


class Examinations:
    """Remembers what was found about each job of one kind; as large as the number of jobs."""

    def __init__(self) -> None:
        self._found: dict[ObjectKey, _Found] = {}

    def __len__(self) -> int:
        return len(self._found)

    def of(self, obj: Object) -> Examined:
        """Returns the job, with this very object, and everything that is wrong with it."""
        key, words = key_of(obj), _judged_words(obj)
        held = self._found.get(key)
        if held is None or held.words != words:
            held = self._found[key] = _Found(words, examined(obj))
        job, problems = held.examined
        return (job if job is None or job.object is obj else replace(job, object=obj)), problems

    def forget(self, key: ObjectKey) -> None:
        """Drops what was found about a job that is gone."""
        self._found.pop(key, None)


def _judged_words(obj: Object) -> tuple[Any, ...]:
    """Returns everything that reading and judging look at; of the status only whether it tells of an end."""
    metadata = obj["metadata"]
    place = (obj.get("apiVersion"), obj.get("kind"), metadata.get("uid"))
    written = (obj.get("spec"), metadata.get("labels"), metadata.get("annotations"))
    return (*place, *written, is_finished(status_of(obj).conditions))
