"""Writes the definitions of our kinds: for a cluster to deploy/crds, for the embedded server into the package.

`make reference` runs it, and a test compares the files with what it would write.
"""

import sys
from pathlib import Path
from typing import Any

import msgspec
import yaml

from corral.engine.apiserver.training_definitions import FILE
from corral.kinds.installed import definitions

ROOT = Path(__file__).resolve().parent.parent
HEADER = "# Written by `make reference` from src/corral/kinds; change the types there instead.\n"


def files() -> dict[Path, str]:
    """Returns the text of every file by its path."""
    made = definitions()
    found = {ROOT / "deploy" / "crds" / f"{one['spec']['names']['plural']}.yaml": _page(one) for one in made}
    text = msgspec.json.encode(made).decode()
    return {**found, ROOT / "src" / "corral" / "engine" / "apiserver" / FILE: text + "\n"}


def _page(definition: dict[str, Any]) -> str:
    return HEADER + yaml.dump(definition, Dumper=_Plain, sort_keys=False, width=10_000, allow_unicode=True)


class _Plain(yaml.SafeDumper):
    """Writes what stands twice in memory twice: anchors are not for people."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def main() -> None:
    """Rewrites the files."""
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
