"""The answers that our templates are held to are those of a kubectl that is at hand."""

import json
import subprocess
from pathlib import Path

from tests.surfaces.template_answers import ANSWERS, OBJECT, REFUSED


def test_kubectl_writes_the_answers_that_ours_are_compared_with(control_plane_binaries: Path, tmp_path: Path) -> None:
    file = tmp_path / "object.json"
    file.write_text(json.dumps(OBJECT))

    def kubectl(template: str) -> "subprocess.CompletedProcess[str]":
        words = ["patch", "--local", "-f", str(file), "--type=merge", "-p", "{}", "-o", f"jsonpath={template}"]
        return subprocess.run([control_plane_binaries / "kubectl", *words], capture_output=True, text=True, timeout=60)

    assert {template: kubectl(template).stdout for template in ANSWERS} == ANSWERS
    assert [template for template in REFUSED if kubectl(template).returncode == 0] == []
