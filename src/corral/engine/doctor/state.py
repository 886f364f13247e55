"""Checks of the state file, and its rescue."""

from pathlib import Path

from corral.engine.apiserver.storage.inspection import inspect
from corral.engine.apiserver.storage.salvage import salvage
from corral.engine.doctor.finding import Finding


def check_state(folder: str) -> Finding:
    """Reads the whole state file as a start would, without changing it."""
    found = inspect(Path(folder))
    if found.code == "state-in-use":
        return Finding("ok", "state", f"{folder} is in use; its server read it whole when it started")
    level = "ok" if found.code in ("good", "absent") else "warn" if found.code == "state-older" else "fail"
    return Finding(level, "state", found.text, found.hint)


def salvage_state(folder: str) -> list[Finding]:
    """Rebuilds a damaged state file from every row that is still good; returns what was done and what was lost."""
    outcome = salvage(Path(folder))
    if outcome is None:
        return [Finding("ok", "state", f"{folder} is not damaged; nothing was changed")]
    kept = ", ".join(map(str, outcome.kept)) or "nothing was left of it"
    done = f"rebuilt with {outcome.objects} objects at revision {outcome.revision}; the damaged file is kept: {kept}"
    findings = [Finding("ok", "state", done)]
    findings += [Finding("warn", "lost", loss) for loss in outcome.losses]
    findings += [Finding("warn", "doubtful", doubt) for doubt in outcome.doubts]
    findings.append(Finding("ok", "next", "now run `corral up`"))
    return findings
