import json
import os
from pathlib import Path

import pytest

from corral.engine.doctor import household, machine
from corral.engine.doctor.sqlite_engine import check_sqlite, has_wal_reset_bug
from corral.engine.doctor.tracebacks import check_controllers_log
from corral.engine.supervisor.home import Home
from tests.surfaces.conftest import Cli


def test_status_of_nothing_is_3_and_leaves_no_trace(cli: Cli, corral_home: Path) -> None:
    done = cli("status")
    assert (done.returncode, done.stdout) == (3, f"Corral is not running ({corral_home})\n")
    assert not corral_home.exists()


def test_status_as_json_is_only_json(cli: Cli, corral_home: Path) -> None:
    done = cli("status", "-o", "json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["running"] is False


def test_doctor_finds_nothing_on_a_fresh_home(cli: Cli) -> None:
    done = cli("doctor", "-o", "json")
    levels = {finding["subject"]: finding["level"] for finding in json.loads(done.stdout)}
    assert done.returncode == 0
    assert levels["python"] == levels["sqlite"] == levels["home"] == levels["port"] == levels["kubeconfig"] == "ok"


def test_down_of_nothing_says_so(cli: Cli) -> None:
    done = cli("down")
    assert (done.returncode, done.stdout) == (0, "Corral was not running\n")


@pytest.mark.parametrize(
    ("version", "want_bug"),
    [
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 1), True),
        ((3, 50, 4), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 54, 1), False),
    ],
)
def test_the_wal_reset_fault_is_known_by_version(version: tuple[int, int, int], want_bug: bool) -> None:
    assert has_wal_reset_bug(version) is want_bug


def test_an_old_sqlite_is_a_warning_with_a_way_out() -> None:
    finding = check_sqlite("3.40.1", "of Python")
    assert (finding.level, "apsw" in finding.hint) == ("warn", True)


def test_a_home_that_others_can_read_is_found(tmp_path: Path) -> None:
    home = Home(str(tmp_path / "home"))
    home.make_folders()
    home.ensure_token()
    assert household.check_permissions(home).level == "ok"
    os.chmod(home.token_file, 0o644)
    assert household.check_permissions(home).level == "fail"
    os.chmod(home.token_file, 0o600)
    os.chmod(home.root, 0o755)
    assert household.check_permissions(home).level == "warn"


def test_a_missing_or_changed_kubeconfig_is_found(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    home.make_folders()
    home.ensure_token()
    home.remember_port(1)
    assert household.check_kubeconfig(home).level == "ok"
    Path(home.kubeconfig).write_text("apiVersion: v1\n")
    assert household.check_kubeconfig(home).level == "warn"
    os.unlink(home.kubeconfig)
    assert household.check_kubeconfig(home).level == "fail"


@pytest.mark.parametrize(("free", "want"), [(1 << 40, "ok"), (100 << 20, "warn"), (1 << 20, "fail")])
def test_little_room_is_found(free: int, want: str, tmp_path: Path) -> None:
    assert machine.check_disk(str(tmp_path / "not" / "there"), free).level == want


def test_a_clock_that_runs_behind_is_found() -> None:
    assert machine.check_clock(newest_file=2_000_000_000.0, now=1_900_000_000.0).level == "warn"
    assert machine.check_clock(newest_file=0.0, now=0.0).level == "fail"
    assert machine.check_clock(newest_file=0.0, now=1_900_000_000.0).level == "ok"


def test_an_old_python_and_a_lesser_platform_are_found() -> None:
    assert machine.check_python((3, 10, 9)).level == "fail"
    assert machine.check_platform(("memory of processes is not measured",)).level == "warn"


def test_a_controller_that_crashed_is_found_in_its_log(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    assert check_controllers_log(home).level == "ok"
    home.make_folders()
    log = Path(home.log_of("controllers"))
    log.write_text("2026-11-16T05:00:00.000Z info controllers: controllers running\n")
    assert check_controllers_log(home).level == "ok"
    crash = 'Traceback (most recent call last):\n  File "a.py", line 1, in b\n    c["spec"]\nKeyError: \'spec\'\n'
    with log.open("a") as more:
        for minute in (1, 2):
            more.write(f"2026-11-16T05:0{minute}:00.000Z error control.controller: reconcile failed key=a/b\n{crash}")
    finding = check_controllers_log(home)
    assert finding.level == "warn"
    want = "the controllers log holds 2 tracebacks, the last: KeyError: 'spec' (2026-11-16T05:02:00.000Z)"
    assert finding.text == want
    assert str(log) in finding.hint
