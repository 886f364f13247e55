"""When part of the indexes is enough: `successPolicy`."""

from corral.kinds.objects import Object
from corral.reconcile.builtin.jobs.indexes import parsed
from corral.reconcile.builtin.jobs.job import completions_of


def met_rule(job: Object, completed: frozenset[int]) -> int | None:
    """Returns the number of the first rule that the completed indexes satisfy, None when there is none."""
    rules = (job["spec"].get("successPolicy") or {}).get("rules") or ()
    for number, rule in enumerate(rules):
        chosen = rule.get("succeededIndexes")
        listed = parsed(chosen, completions_of(job) or 0) if chosen else None
        done = completed if listed is None else completed & listed
        count = rule.get("succeededCount")
        needed = len(listed or ()) if count is None else int(count)
        if needed and len(done) >= needed:
            return number
    return None
