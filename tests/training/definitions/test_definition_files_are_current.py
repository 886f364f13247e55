"""The files that carry the definitions are what the types say now."""

from pathlib import Path

import pytest

from tools.training_definitions import ROOT, files

FILES = files()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_what_would_be_written(path: Path) -> None:
    assert path.read_text() == FILES[path], "run `make reference`"


def test_no_file_of_a_kind_that_is_gone_is_left() -> None:
    assert sorted((ROOT / "deploy" / "crds").iterdir()) == sorted(path for path in FILES if path.suffix == ".yaml")
