"""The oldest logs go first, beyond an age, a number of pods and an amount of bytes; those of existing pods never."""

from corral.engine.node.logs.retention import Remains, Retention, given_up

ROOMY = Retention(most_bytes=1000, most_seconds=1000.0, most_pods=10)


def _remains(*ended: float, taken: int = 10) -> list[Remains]:
    return [Remains(f"folder-{number}", f"uid-{number}", moment, taken) for number, moment in enumerate(ended)]


def _names(given: list[Remains]) -> list[str]:
    return [each.uid for each in given]


def test_what_is_within_all_limits_stays() -> None:
    assert given_up(_remains(100, 200), (), 300, ROOMY) == []


def test_what_is_too_old_goes() -> None:
    assert _names(given_up(_remains(500, 100, 1500), (), 1600, ROOMY)) == ["uid-1", "uid-0"]


def test_the_oldest_go_until_the_rest_fits() -> None:
    assert _names(given_up(_remains(300, 100, 200, taken=400), (), 300, ROOMY)) == ["uid-1"]
    assert _names(given_up(_remains(300, 100, 200), (), 300, ROOMY._replace(most_pods=1))) == ["uid-1", "uid-2"]


def test_those_of_existing_pods_stay_whatever_they_take() -> None:
    remains = _remains(100, 200, taken=5000)
    assert _names(given_up(remains, {"uid-0"}, 300, ROOMY)) == ["uid-1"]
    assert given_up(remains, {"uid-0", "uid-1"}, 10_000, ROOMY) == []
