"""Writes the admission policies of our kinds to deploy/policies, for a cluster to apply.

`make reference` runs it, and a test compares the files with what it would write.
"""

import sys
from pathlib import Path
from typing import Any

import yaml

from corral.kinds.cron.cron import CRON
from corral.kinds.cron.policy import policies as policies_of_cron
from corral.kinds.queues.policy import policies as policies_of_queue
from corral.kinds.queues.queue import QUEUE
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.policies import policies_of

ROOT = Path(__file__).resolve().parent.parent
HEADER = "# Written by `make reference` from src/corral/kinds; change the rules there instead.\n"


def files() -> dict[Path, str]:
    """Returns the text of every file by its path."""
    folder = ROOT / "deploy" / "policies"
    made = {facts.plural: policies_of(facts) for facts in TRAINING_KINDS}
    made |= {CRON.plural: policies_of_cron(), QUEUE.plural: policies_of_queue()}
    return {folder / f"{plural}.yaml": _page(objects) for plural, objects in made.items()}


def _page(objects: list[dict[str, Any]]) -> str:
    return HEADER + yaml.dump_all(objects, Dumper=_InBlocks, sort_keys=False, width=10_000, allow_unicode=True)


class _InBlocks(yaml.SafeDumper):
    """Writes texts of several lines as such, and everything where it stands."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_InBlocks.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None),
)


def main() -> None:
    """Rewrites the files."""
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
