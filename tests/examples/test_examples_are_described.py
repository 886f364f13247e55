"""What an example says about itself is true: its facts, its text and its manifests name the same things."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

import pytest
import yaml

from corral.kinds.objects import Object
from tests.examples.catalogue import ROOT, RUNGS, Example, examples
from tools import frameworks

WITHOUT_TRAINING = {"00-first-manifest", "01-training-jobs", "18-on-a-schedule", "kit"}
EVERY = pytest.mark.parametrize("example", examples(), ids=str)


def test_every_folder_is_known() -> None:
    folders = {path.name for path in (ROOT / "examples").iterdir() if path.is_dir()}
    assert folders - {one.folder.name for one in examples()} == WITHOUT_TRAINING


@EVERY
def test_the_facts_name_things_that_exist(example: Example) -> None:
    assert example.rung in RUNGS
    assert example.framework in frameworks.known()
    assert example.manifest.exists()
    assert 0.9 <= example.accuracy < 1


@EVERY
def test_the_text_tells_the_commands(example: Example) -> None:
    text = (example.folder / "README.md").read_text()
    folder = f"examples/{example.folder.name}"
    assert f"-m tools.frameworks {example.framework}" in text
    assert f"corral image map '{example.image}'" in text
    assert f"--workdir $PWD/{folder} --env PYTHONPATH=$PWD/examples/kit" in text
    assert f"kubectl apply -f {folder}/" in text
    assert example.manifest.name in text


@EVERY
def test_the_images_of_a_manifest_are_those_that_are_mapped(example: Example) -> None:
    documents = yaml.safe_load_all(example.manifest.read_text())
    images = {image for document in documents for image in images_in(document)}
    assert images
    assert [image for image in images if not fnmatchcase(image, example.image)] == []


def images_in(value: object) -> Iterator[str]:
    """Yields the image of every container that is described somewhere inside."""
    if isinstance(value, dict):
        described: Object = value
        if isinstance(described.get("image"), str):
            yield described["image"]
        value = list(described.values())
    if isinstance(value, list):
        for item in value:
            yield from images_in(item)
