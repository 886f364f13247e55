"""Becomes another program that cannot outlive the process that started it.

Run as a script: `python leash.py PARENT_PID PROGRAM ARGUMENT...`. It asks the kernel for SIGKILL at the parent's death
and then executes the program in its own place, so the process id stays the one the parent knows. The request survives
execution. A `preexec_fn` would do the same but is unsafe in a process with threads. Only Linux can be asked; elsewhere
the program runs without a leash, and `stop` is the only thing that ends it.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, command: list[str]) -> None:
    """Tie, look whether the parent died before the knot was made, and become `command`."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit("the process that started this one is gone")
    os.execv(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
