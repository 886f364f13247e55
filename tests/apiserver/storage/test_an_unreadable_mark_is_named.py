"""S6: the witness of acknowledged writes is never replaced in silence."""

from pathlib import Path

import pytest

from corral.engine.apiserver.storage.store import Store

pytestmark = pytest.mark.anyio


async def test_a_start_without_a_readable_mark_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await Store(tmp_path).close()
    assert capsys.readouterr().err == ""
    (tmp_path / "acknowledged").write_bytes(b"x" * 20)

    await Store(tmp_path).close()

    assert "the mark beside" in capsys.readouterr().err
    await Store(tmp_path).close()
    assert capsys.readouterr().err == ""
