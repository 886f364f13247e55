"""Patterns meet image names as manifests write them, and the most specific pattern counts."""

import pytest

from corral.engine.node.images.mapping import ImageMapping
from corral.engine.node.images.matching import chosen, literal_length, matches

MATCHES = {
    "the name itself": ("tensorflow/tensorflow", "tensorflow/tensorflow", True),
    "any tag": ("tensorflow/tensorflow", "tensorflow/tensorflow:2.19.0", True),
    "any digest": ("tensorflow/tensorflow", "tensorflow/tensorflow@sha256:0123", True),
    "tag and digest": ("tensorflow/tensorflow", "tensorflow/tensorflow:2@sha256:0123", True),
    "a tag of its own": ("tensorflow/tensorflow:2", "tensorflow/tensorflow:2@sha256:0123", True),
    "another tag": ("tensorflow/tensorflow:2", "tensorflow/tensorflow:3", False),
    "a folder": ("tensorflow/*", "tensorflow/tensorflow:2.19.0-gpu", True),
    "a star goes over slashes": ("registry.example.com/*", "registry.example.com/a/b/c:1", True),
    "the default registry in the image": ("tensorflow/*", "docker.io/tensorflow/tensorflow", True),
    "the default registry in the pattern": ("docker.io/tensorflow/*", "tensorflow/tensorflow", True),
    "the default folder in the image": ("python", "docker.io/library/python:3.11", True),
    "the default folder in the pattern": ("docker.io/library/python", "python", True),
    "the port of a registry is no tag": ("localhost:5000/a", "localhost:5000/a:1", True),
    "a registry that is not the default": ("tensorflow/*", "example.com/tensorflow/tensorflow", False),
    "one character": ("python:3.1?", "python:3.11", True),
    "a choice": ("python:3.1[12]", "python:3.13", False),
    "capitals count": ("Python", "python", False),
    "everything": ("*", "a/b:c", True),
    "half a name": ("tensor", "tensorflow", False),
}


@pytest.mark.parametrize(("pattern", "image", "want"), MATCHES.values(), ids=MATCHES)
def test_a_pattern_meets_an_image(pattern: str, image: str, want: bool) -> None:
    assert matches(image, pattern) is want


def mapped(*patterns: str) -> list[ImageMapping]:
    return [ImageMapping(pattern=pattern, workdir=str(number)) for number, pattern in enumerate(patterns)]


def test_the_pattern_with_most_literal_text_counts_whatever_the_order() -> None:
    for patterns in (("*", "a/*", "a/train*"), ("a/train*", "a/*", "*")):
        found = chosen("a/train:1", mapped(*patterns))
        assert found is not None
        assert found.pattern == "a/train*"


def test_of_equals_the_later_counts() -> None:
    found = chosen("a/b", mapped("a/?", "a/*"))
    assert found is not None
    assert found.pattern == "a/*"


def test_an_image_that_nobody_spoke_of_has_no_mapping() -> None:
    assert chosen("x", mapped("y", "z*")) is None


@pytest.mark.parametrize(("pattern", "want"), [("*", 0), ("a*b?c[de]", 3), ("docker.io/library/python", 6)])
def test_literal_text_is_counted_without_wildcards_and_default_registry(pattern: str, want: int) -> None:
    assert literal_length(pattern) == want
