import os
from pathlib import Path

from corral.engine.supervisor.log_files import last_lines, open_log, rotate


def test_a_small_log_stays(tmp_path: Path) -> None:
    log = tmp_path / "api.log"
    log.write_text("short\n")
    assert not rotate(str(log), limit=100)
    assert not rotate(str(tmp_path / "absent.log"), limit=100)


def test_an_outgrown_log_moves_aside_while_its_writer_goes_on(tmp_path: Path) -> None:
    path = str(tmp_path / "api.log")
    writer = open_log(path)
    for number in range(1, 6):
        os.write(writer, f"round {number} {'x' * 100}\n".encode())
        assert rotate(path, limit=100, kept=3)
    os.write(writer, b"after\n")
    os.close(writer)
    assert Path(path).read_text() == "after\n"
    assert [Path(f"{path}.{number}").read_text()[:7] for number in (1, 2, 3)] == ["round 5", "round 4", "round 3"]
    assert not os.path.exists(f"{path}.4")


def test_logs_are_private(tmp_path: Path) -> None:
    """Invariant P5."""
    path = str(tmp_path / "api.log")
    os.close(open_log(path))
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_the_last_lines_are_read_from_the_end(tmp_path: Path) -> None:
    log = tmp_path / "api.log"
    log.write_text("".join(f"line {number}\n" for number in range(10_000)))
    assert last_lines(str(log), 2) == ["line 9998", "line 9999"]
    assert last_lines(str(tmp_path / "absent.log"), 2) == []
