"""Whether a supervisor is at work: the kernel's word, by its lock, and nothing else. What every command asks first."""

from corral.engine.small_files import read_text
from corral.engine.supervisor import locking
from corral.engine.supervisor.home import Home


def is_present(home: Home) -> bool:
    """Whether a supervisor holds the lock of a home and has said so much as one word about itself."""
    return locking.is_held(home.lock_file) and bool(read_text(home.report_file))
