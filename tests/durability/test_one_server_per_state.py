"""Two servers on one state: the second refuses at once and the first does not notice."""

from pathlib import Path

from tests.api_process import ApiProcess


def test_a_second_server_refuses_with_one_clear_line(tmp_path: Path) -> None:
    """Invariant S4."""
    with ApiProcess(tmp_path / "first") as first:
        assert first.ask("GET", "/readyz").status == 200
        second = ApiProcess(tmp_path / "second")
        try:
            second.start(data=first.data)
            assert second.wait() == 70
            told = second.log_text().splitlines()
            assert told == [
                f"error: {first.data / 'state.db'} is in use by another process",
                "hint: `corral status` shows it; `corral down` stops it",
            ]
        finally:
            second.close()
        made = {"metadata": {"name": "after"}}
        assert first.ask("POST", "/api/v1/namespaces/default/configmaps", made).status == 201
