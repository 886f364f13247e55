"""Copying a file or a folder into a container or out of it, by the `tar` that is in there."""

import os
import posixpath
from typing import NamedTuple

from corral.control.desk.commands import Spot, Wish, run, spot_of
from corral.control.desk.copies.conversation import CommandEndedError, Hearer, Output, judged
from corral.control.desk.copies.places import Sides, cut, name_of
from corral.control.desk.session import Session
from corral.errors import PermanentError
from corral.ports.archives import OnTally, Packer, Tally, Unpacked, Unpacker
from corral.ports.remote_commands import RunningCommand


class Copied(NamedTuple):
    """A copy that was made."""

    tally: Tally
    target: str
    """Where it is now, on the other side."""
    note: str = ""


def spot_for(session: Session, sides: Sides, wish: Wish) -> Spot:
    """Returns the container that a side of a copy names: `JOB`, `JOB/INSTANCE`, `KIND/NAME` or `KIND/NAME/INSTANCE`."""
    job, _, last = sides.remote.job.rpartition("/")
    if job and not wish.instance and ("/" in job or not _is_kind(session, job)):
        return spot_of(session, wish._replace(job=job, instance=last))
    return spot_of(session, wish._replace(job=sides.remote.job))


def _is_kind(session: Session, word: str) -> bool:
    try:
        session.store.catalogue().find(word)
    except PermanentError:
        return False
    return True


# --- out of a container -----------------------------------------------------------------------------------------------


def download(session: Session, spot: Spot, sides: Sides, unpacker: Unpacker, on_tally: OnTally) -> Copied:
    """Copies out of a container; only a whole copy is put where it belongs."""
    path = sides.remote.path
    taken = cut(path)
    target = _named_here(sides.local, name_of(path))
    running = session.start_command(spot.command("tar", "-cf", "-", "-C", taken.folder, taken.argument))
    try:
        output = Output(running)
        unpacked = _unpacked(unpacker, output, taken.stem, target, on_tally)
        try:
            note = judged(running, output, f"{path} cannot be copied")
            unpacked.install()
        finally:
            unpacked.discard()
    finally:
        running.close()
    return Copied(unpacked.tally, target, note)


def _unpacked(unpacker: Unpacker, output: Output, stem: str, target: str, on_tally: OnTally) -> Unpacked:
    """Unpacks; when the archive breaks off because the command has failed, that is what is told."""
    try:
        return unpacker.unpack(output.read, stem, target, on_tally)
    except PermanentError as error:
        if error.code == "broken-archive":
            judged(output.running, output, "nothing can be copied")
        raise


def _named_here(local: str, name: str) -> str:
    """Returns the path of the copy: inside of a folder that is there, else the path itself."""
    if os.path.isdir(local):
        return os.path.join(local, name) if name else local
    if local.endswith("/"):
        raise PermanentError("unwritable-file", f"there is no folder {local}", hint="make it first")
    return local


# --- into a container -------------------------------------------------------------------------------------------------


def upload(session: Session, spot: Spot, sides: Sides, packer: Packer, on_tally: OnTally) -> Copied:
    """Copies into a container; a folder that is there gets the copy inside of it."""
    if not os.path.lexists(sides.local):
        raise PermanentError("unreadable-file", f"there is no {sides.local}")
    target = _named_there(session, spot, sides)
    placed = cut(target)
    running = session.start_command(spot.command("tar", "-xf", "-", "-C", placed.folder, takes_input=True))
    try:
        with Hearer(running) as hearer:
            tally = _packed(packer, hearer, running, sides.local, placed.stem, on_tally)
        note = judged(running, hearer.output, f"{sides.remote.path} cannot be written")
    finally:
        running.close()
    return Copied(tally, target, note)


def _packed(
    packer: Packer, hearer: Hearer, running: RunningCommand, source: str, name: str, on_tally: OnTally
) -> Tally:
    """Sends an archive; a command that ends before it was sent has failed, and says why itself."""
    try:
        tally = packer.pack(source, name, hearer.send, on_tally)
    except CommandEndedError:
        return Tally()
    running.end_input()
    return tally


def _named_there(session: Session, spot: Spot, sides: Sides) -> str:
    """Returns the path of the copy in the container, which alone knows whether there is such a folder."""
    path, name = sides.remote.path, name_of(os.path.abspath(sides.local) if sides.local == "." else sides.local)
    is_folder = path.endswith("/") or run(session, spot.command("test", "-d", path)).exit_code == 0
    if is_folder:
        return posixpath.join(path, name) if name else posixpath.join(path, ".")
    return path
