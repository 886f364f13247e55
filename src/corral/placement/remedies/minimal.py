"""Whether nothing of a remedy is superfluous: no part can be left out, and no number lowered by one."""

from collections.abc import Iterator

from corral.placement.remedies.question import Question
from corral.placement.remedies.refuting import open_to_doubt
from corral.placement.remedies.remedy import Part, Parts
from corral.placement.remedies.supplies import FreeRoom


def smaller_sets(parts: Parts) -> Iterator[Parts]:
    """Yields every set that is one step smaller: a part left out, or one of its numbers lowered by one."""
    yield from _without_one(parts)
    for place, part in enumerate(parts):
        yield from ((*parts[:place], less, *parts[place + 1 :]) for less in part.lowered())


def is_minimal(question: Question, parts: Parts) -> bool:
    """Whether no set that is one step smaller starts the gang."""
    if any(question.trial.starts(less) is not None for less in _without_one(parts)):
        return False
    for place, part in enumerate(parts):
        others = parts[:place] + parts[place + 1 :]
        for less in _lowered(question, part, others):
            if question.trial.starts((*parts[:place], less, *parts[place + 1 :])) is not None:
                return False
    return True


def _lowered(question: Question, part: Part, others: Parts) -> Iterator[Part]:
    # Beside room that is given back there are switches alone, whose view says at once which smaller amounts are too small.
    return open_to_doubt(question, question.view(others), part) if isinstance(part, FreeRoom) else part.lowered()


def _without_one(parts: Parts) -> Iterator[Parts]:
    return (parts[:place] + parts[place + 1 :] for place in range(len(parts)))
