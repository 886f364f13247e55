"""What goes along with a function, and what is refused before anything is sent."""

import functools
import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from corral.errors import PermanentError
from corral.surfaces.sdk.functions.packing import Call, Packed, packed
from tests.sdk.functions.cells import cell
from tests.sdk.functions.lab import nets, training


def files(found: Packed) -> dict[str, str]:
    return {one.path: one.text for one in found.bundle.files}


def call_in(found: Packed) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(files(found)["corral_call.json"])
    return told


def test_a_function_of_a_module_brings_its_module_and_what_of_one_s_own_that_imports() -> None:
    found = packed(Call(training.train, ("3",), {"factor": 2}))
    assert set(files(found)) >= {
        "corral_rank.py",
        "corral_call.json",
        "tests/sdk/functions/lab/__init__.py",
        "tests/sdk/functions/lab/nets.py",
        "tests/sdk/functions/lab/training.py",
    }
    assert not [path for path in files(found) if path.startswith(("json", "os", "corral/"))]
    assert call_in(found) == {
        "module": "tests.sdk.functions.lab.training",
        "function": "train",
        "source": "",
        "args": ["3"],
        "kwargs": {"factor": 2},
    }


CELL = """
import math
from math import floor as down
from tests.sdk.functions.lab.nets import width_of

SCALE = {"by": [3, 4]}

def helper(x):
    return down(math.sqrt(x)) * SCALE["by"][0]

def train(lr: Rate, *, text="2"):
    return helper(lr) + width_of(text)
"""


def test_a_function_of_a_notebook_brings_what_it_takes_from_around_it() -> None:
    found = packed(Call(cell(CELL.replace(": Rate", ""))["train"], (9.0,)))
    told = call_in(found)
    assert (told["module"], told["function"]) == ("corral_function", "train")
    assert sorted(told["imports"]) == [
        ["down", "math", "floor"],
        ["math", "math", ""],
        ["width_of", "tests.sdk.functions.lab.nets", "width_of"],
    ]
    assert told["constants"] == {"SCALE": {"by": [3, 4]}}
    source = files(found)["corral_function.py"]
    assert source.index("def helper") < source.index("def train")
    assert "tests/sdk/functions/lab/nets.py" in files(found)
    assert "import numpy" not in source


def test_extra_modules_are_brought_when_they_are_named() -> None:
    alone = packed(Call(cell("def train():\n    return 1\n")["train"]))
    assert "tests/sdk/functions/lab/nets.py" not in files(alone)
    more = packed(Call(cell("def train():\n    return 1\n")["train"], modules=[nets]))
    assert "tests/sdk/functions/lab/nets.py" in files(more)


def _inner(secret: int) -> Callable[[], int]:
    def inner() -> int:
        return secret

    return inner


async def _awaited() -> None: ...


class _Class:
    def method(self) -> None: ...


@pytest.mark.parametrize(
    ("function", "want"),
    [
        (lambda: 1, "is no function that can be sent"),
        (math.sqrt, "is no function that can be sent"),
        (functools.partial(training.train, "1"), "is no function that can be sent"),
        (_Class(), "is no function that can be sent"),
        (_inner(3), "uses variables of the function around it: secret"),
        (_awaited, "is a coroutine or a generator"),
        (
            cell("def train():\n    return HANDLE\n", HANDLE=object())["train"],
            "train uses what cannot be sent: HANDLE is a object",
        ),
        (
            cell("def train():\n    return A, B\n", A={1: 2}, B=[{3}])["train"],
            r"A has the key 1, which is no text; B\[0\] is a set",
        ),
    ],
)
def test_what_cannot_be_sent_is_refused(function: Any, want: str) -> None:
    with pytest.raises(PermanentError, match=want) as refused:
        packed(Call(function))
    assert refused.value.code == "bad-function"


@pytest.mark.parametrize(
    ("args", "kwargs", "want"),
    [
        ((object(),), {}, "argument 0 is a object"),
        (("1",), {"factor": {1}}, "factor is a set"),
        ((["x", {"y": b"z"}],), {}, r"argument 0\[1\]\['y'\] is a bytes"),
        ((), {}, "missing a required argument: 'text'"),
        (("1", 2), {}, "too many positional arguments"),
        (("1",), {"lr": 2}, "unexpected keyword argument 'lr'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(args: Any, kwargs: Any, want: str) -> None:
    with pytest.raises(PermanentError, match=want) as refused:
        packed(Call(training.train, args, kwargs))
    assert refused.value.code == "bad-argument"


def test_a_source_that_is_not_known_is_refused() -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec("def train():\n    return 1\n", namespace)
    with pytest.raises(PermanentError, match="train, whose source is not known"):
        packed(Call(namespace["train"]))
