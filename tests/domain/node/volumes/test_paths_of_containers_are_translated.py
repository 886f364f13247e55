"""Where a container cannot have paths of its own, texts that name its mount paths are changed to name the true ones."""

import pytest

from corral.engine.node.containers.launch import Mount
from corral.engine.node.volumes.translation import path_translation

MOUNTS = [
    Mount("/v/data", "/data"),
    Mount("/v/deep", "/data/deep"),
    Mount("/v/etc", "/etc/config/"),
    Mount("/same", "/same"),
    Mount("/v/root", "/"),
]

CASES = {
    "the path": ("/data", "/v/data"),
    "below it": ("/data/a/b.csv", "/v/data/a/b.csv"),
    "with a slash": ("/data/", "/v/data/"),
    "the longest first": ("/data/deep/x", "/v/deep/x"),
    "not half a name": ("/data2 /database /data.csv /data-old /data_x", "/data2 /database /data.csv /data-old /data_x"),
    "not deeper in another path": (
        "/mnt/data s3://bucket/data a/data ../data ~/data",
        "/mnt/data s3://bucket/data a/data ../data ~/data",
    ),
    "behind an equals sign": ("--dir=/data", "--dir=/v/data"),
    "in a list": ("/data:/etc/config,/data", "/v/data:/v/etc,/v/data"),
    "in quotes": ('{"a": "/data/x"}', '{"a": "/v/data/x"}'),
    "in a file address": ("file:///data/x", "file:///v/data/x"),
    "in a web address": ("http://host/data", "http://host/data"),
    "over lines": ("/data\n/data", "/v/data\n/v/data"),
    "the same path and the root stay": ("/same /", "/same /"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "want"), CASES.values(), ids=CASES)
def test_paths_are_replaced_at_their_borders(text: str, want: str) -> None:
    assert path_translation(MOUNTS)(text) == want


def test_a_replaced_path_is_not_replaced_again() -> None:
    assert path_translation([Mount("/b", "/a"), Mount("/c", "/b")])("/a /b") == "/b /c"


def test_without_mounts_texts_stay() -> None:
    assert path_translation([])("/data") == "/data"


def test_signs_with_a_meaning_in_patterns_stand_for_themselves() -> None:
    assert path_translation([Mount("/v", "/a.b+c")])("/a.b+c/x /aXb+c/x") == "/v/x /aXb+c/x"
