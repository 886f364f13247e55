"""`corral doctor --salvage` from damage to a running cluster again."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.durability.state_files import files_in, filled, lay

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def test_doctor_names_damage_and_salvage_mends_it(cli: Cli, corral_home: Path, tmp_path: Path) -> None:
    state = filled(tmp_path / "live", 20)
    files = files_in(tmp_path / "live")
    corral_home.mkdir(mode=0o700)
    lay(corral_home / "state", {**files, "state.db": bytes(100) + files["state.db"][100:]})
    (corral_home / "state").chmod(0o700)

    checked = cli("doctor", "-o", "json")
    finding = next(f for f in json.loads(checked.stdout) if f["subject"] == "state")
    assert checked.returncode == 1
    assert finding["level"] == "fail"
    assert "corral doctor --salvage" in finding["hint"]

    mended = cli("doctor", "--salvage")
    assert mended.returncode == 0, mended.stderr
    assert f"rebuilt with {len(state.objects)} objects at revision {state.revision}" in mended.stdout
    assert mended.stdout.splitlines()[-1] == "ok    next: now run `corral up`"
    assert "not damaged" in cli("doctor", "--salvage").stdout
