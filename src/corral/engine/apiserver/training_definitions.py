"""The kinds of Corral are there from the start: their definitions are brought by the server, and follow its release.

A definition of ours carries a fingerprint. One with another fingerprint came with another release and is renewed, with
everything that users added to its metadata; one without was installed by somebody else and is left alone. They are read
from a file that the package carries, since building them from their types would be a third of the time to start.
"""

import asyncio
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec

from corral.engine.apiserver.custom.definition_strategy import CustomResourceDefinitionStrategy
from corral.engine.apiserver.definitions import GROUP, PLURAL
from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.field_errors import FieldError
from corral.engine.apiserver.http.negotiation import JSON
from corral.engine.apiserver.http.options import WriteOptions
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.rest.admission import DEFINITIONS
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.rest.writing import Write, change, create
from corral.engine.apiserver.world import World
from corral.kinds.training.schema_marks import FINGERPRINT

FILE = "training_definitions.json"
"""Written by `make reference` from `corral.kinds.installed`."""


class _Tested(CustomResourceDefinitionStrategy):
    """Takes a definition as it is: that these are valid is known from tests, and finding it out again takes long.

    They have names of their own, so each looks only at `others`, and all of them can be stored at once.
    """

    def __init__(self, others: list[Object], now: str) -> None:
        self._others = others
        self._now = now

    def exclusive_scope(self, name: str) -> str:
        """Returns none."""
        return ""

    def prepare_create(self, obj: Object) -> None:
        """Starts a status in which the names are accepted already."""
        super().prepare_create(obj)
        self.settle(obj, self._others, self._now)

    def validate(self, obj: Object) -> list[FieldError]:
        """Finds nothing."""
        return []


async def ensure_definitions(world: World) -> None:
    """Creates definitions that are missing and renews those of another release, before anybody is served."""
    held = {entry.name: entry for entry in world.store.collection(DEFINITIONS).scan()}
    wanted = {one["metadata"]["name"]: one for one in brought_definitions()}
    missing = [one for name, one in wanted.items() if name not in held]
    tested = _Tested([entry.decoded() for entry in held.values()] if missing else [], world.timestamp())
    work = {one["metadata"]["name"]: create(_write(world, "", tested), one) for one in missing}
    for name in held.keys() & wanted.keys():
        if is_outdated(held[name].decoded(), wanted[name]):
            strategy = CustomResourceDefinitionStrategy()  # looks also at what was stored before
            work[name] = change(_write(world, name, strategy), partial(renewed, wanted=wanted[name]))
    done = await asyncio.gather(*work.values(), return_exceptions=True)
    for name, outcome in zip(work, done, strict=True):
        _tell(name, outcome)


def _tell(name: str, outcome: object) -> None:
    """Tells of a definition that cannot be written, on a full disk for example; the server still serves what it has."""
    if isinstance(outcome, ApiFailure):
        print(f"corral: {name} is not up to date: {outcome.message}", file=sys.stderr, flush=True)
    elif isinstance(outcome, BaseException):
        raise outcome


def brought_definitions() -> list[Object]:
    """Returns the definitions that the package carries."""
    found: list[Object] = msgspec.json.decode(Path(__file__).with_name(FILE).read_bytes())
    return found


def is_outdated(held: Object, wanted: Object) -> bool:
    """Whether a definition in the store is ours, and another than the wanted one."""
    mark = (held["metadata"].get("annotations") or {}).get(FINGERPRINT)
    return mark is not None and mark != wanted["metadata"]["annotations"][FINGERPRINT]


def renewed(held: Object, wanted: Object) -> Object:
    """Returns a definition with the wanted content, and the metadata that it has."""
    annotations = {**(held["metadata"].get("annotations") or {}), **wanted["metadata"]["annotations"]}
    return {**held, "metadata": {**held["metadata"], "annotations": annotations}, "spec": wanted["spec"]}


def _write(world: World, name: str, strategy: CustomResourceDefinitionStrategy) -> Write:
    resource = world.catalog.find(GROUP, "v1", PLURAL)
    assert resource is not None
    options = WriteOptions(field_manager="kube-apiserver")
    return Write(
        world, View(replace(resource, strategy=strategy), JSON), Target(GROUP, "v1", PLURAL, name=name), options, ""
    )
