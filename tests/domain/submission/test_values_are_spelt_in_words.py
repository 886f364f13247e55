"""How values are spelt, and what is told of those that are not."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from corral.kinds.submission import spelling
from corral.kinds.submission.submission import ClaimMount, DirectoryMount, SecretValue, Toleration

GOOD: dict[str, tuple[Callable[[str], Any], str, Any]] = {
    "a pair": (spelling.pair, "A=b", ("A", "b")),
    "a pair with more signs": (spelling.pair, "A=b=c,d e", ("A", "b=c,d e")),
    "an empty value": (spelling.pair, "A=", ("A", "")),
    "a number": (spelling.count, "12", 12),
    "a switch": (spelling.switch, "T", True),
    "a switch that is off": (spelling.switch, "false", False),
    "hours and minutes": (spelling.seconds, "1h30m", 5400),
    "days": (spelling.seconds, "2d", 172800),
    "a part of an hour": (spelling.seconds, "1.5h", 5400),
    "bare seconds": (spelling.seconds, "90", 90),
    "a part of a second": (spelling.seconds, "400ms", 1),
    "seconds and a part of one": (spelling.seconds, "2s1ms", 3),
    "tenths that make a whole": (spelling.seconds, "0.7s0.3s", 1),
    "no time at all is no limit": (spelling.seconds, "0s", None),
    "every taint": (spelling.toleration, "all", Toleration(operator="Exists")),
    "a taint with its value": (
        spelling.toleration,
        "gpu=true:NoSchedule,Equal",
        Toleration(key="gpu", operator="Equal", value="true", effect="NoSchedule"),
    ),
    "a taint without an operator": (
        spelling.toleration,
        "gpu=true:NoSchedule",
        Toleration(key="gpu", operator="Equal", value="true", effect="NoSchedule"),
    ),
    "a taint of any value": (
        spelling.toleration,
        "example.com/gpu:NoExecute",
        Toleration(key="example.com/gpu", operator="Exists", effect="NoExecute"),
    ),
    "a claim": (spelling.claim, "images:/mnt/images", ClaimMount("images", "/mnt/images")),
    "a directory": (spelling.directory, "/srv", DirectoryMount("/srv", "/srv")),
    "a directory elsewhere": (spelling.directory, "/srv:/data", DirectoryMount("/srv", "/data")),
    "a secret": (spelling.secret_value, "TOKEN=hub:token", SecretValue("TOKEN", "hub", "token")),
    "a secret with the key of its name": (spelling.secret_value, "TOKEN=hub", SecretValue("TOKEN", "hub", "TOKEN")),
    "processes": (spelling.processes, "8", "8"),
}

BAD: dict[str, tuple[Callable[[str], Any], str, str]] = {
    "no pair": (spelling.pair, "A", "'A' is not of the form KEY=VALUE"),
    "half a number": (spelling.count, "0.5", "'0.5' is no whole number of 0 or more"),
    "a number of another script": (spelling.count, "\N{ARABIC-INDIC DIGIT ONE}", "is no whole number"),
    "a number beyond measure": (spelling.count, "1" * 10, "is too large a number"),
    "a time below nothing": (spelling.seconds, "-5s", "'-5s' is no time"),
    "a time of a clock": (spelling.seconds, "99:99", "'99:99' is no time"),
    "a time with a rest": (spelling.seconds, "5s and more", "is no time"),
    "a taint without an effect": (spelling.toleration, "gpu=true", "is not of the form key=value:effect,operator"),
    "a taint alone": (spelling.toleration, "gpu", "is not of the form"),
    "an effect that is none": (spelling.toleration, "a=b:Never,Equal", "'Never' is no effect"),
    "an operator that is none": (spelling.toleration, "a=b:NoSchedule,Is", "'Is' is no operator"),
    "a value that does not count": (spelling.toleration, "a=b:NoSchedule,Exists", "Exists takes any"),
    "a claim without a path": (spelling.claim, "images", "is not of the form CLAIM:/PATH"),
    "processes that are none": (spelling.processes, "0", "is none of auto, cpu, gpu and a whole number"),
    "what steers a terminal": (spelling.pair, "a\x1b]0;x\x07", "'a\\x1b]0;x\\x07' is not"),
}


@pytest.mark.parametrize("key", GOOD)
def test_a_text_is_what_it_means(key: str) -> None:
    read, text, meant = GOOD[key]
    assert read(text) == meant


@pytest.mark.parametrize("key", BAD)
def test_a_text_that_means_nothing_is_told_in_one_line(key: str) -> None:
    read, text, sentence = BAD[key]
    with pytest.raises(ValueError, match=re.escape(sentence)) as refused:
        read(text)
    assert str(refused.value).isprintable()


def test_long_texts_are_shown_in_part() -> None:
    assert len(spelling.shown("x" * 1000)) < 70
