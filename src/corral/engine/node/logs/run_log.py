"""Which files belong to one run of a container. Paths, and a look at which runs there are."""

import os
from typing import NamedTuple

LOG_ENDING = ".log"


class RunLog(NamedTuple):
    """The log of one run: `folder` is that of the container's logs, `run` the restart count."""

    folder: str
    run: int

    @property
    def path(self) -> str:
        """Returns the file that the container appends to."""
        return os.path.join(self.folder, f"{self.run}{LOG_ENDING}")

    @property
    def times(self) -> str:
        """Returns the file that tells when which part was written, and what of it is kept."""
        return os.path.join(self.folder, f"{self.run}.index")

    @property
    def older(self) -> str:
        """Returns the file with what was cut off, where a file system cannot give back blocks in place."""
        return os.path.join(self.folder, f"{self.run}.older")


def runs_in(folder: str) -> list[RunLog]:
    """Returns the runs that left a log in a container's folder, the first run first."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    numbers = (name.removesuffix(LOG_ENDING) for name in names if name.endswith(LOG_ENDING))
    return [RunLog(folder, number) for number in sorted(int(each) for each in numbers if each.isdecimal())]
