"""What a real server serves and the embedded one does not, with the reason. The generated page shows this list."""

from functools import cache
from pathlib import Path

import yaml

from corral.testing.contracts.kubernetes_api.discovered import Served


@cache
def _listed() -> dict[str, str]:
    found = yaml.safe_load((Path(__file__).parent / "unsupported.yaml").read_text())
    return {title: group["reason"] for group in found for title in group["resources"]}


def reason_for(resource: Served) -> str:
    """Returns why a resource is not supported, "" when it is; a whole group may be listed as `*.GROUP`."""
    every = f"*.{resource.group}"
    below = f"*/{resource.subresource}"
    listed = _listed()
    for title in (resource.title, every, below if resource.subresource else ""):
        if title in listed:
            return listed[title]
    # What lies below an unsupported resource is as unsupported as the resource.
    main = resource.title.removesuffix(f"/{resource.subresource}") if resource.subresource else ""
    return listed.get(main, "")


def listed_titles() -> list[str]:
    """Returns everything that is listed, as written."""
    return list(_listed())
