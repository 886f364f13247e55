"""From the values of flags to a submission without faults."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click
import msgspec

from corral.kinds.submission.faults import Fault, faults_of
from corral.kinds.submission.submission import Submission
from corral.surfaces.cli.connection import chosen_api
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.submission.flag import Flag
from corral.surfaces.cli.submission.flags import flags_of


def submission_given(word: str, given: Mapping[str, Any], command: Iterable[str]) -> Submission:
    """Returns what a command line asks for; what is wrong with it is told in one line, and nothing else happens.

    `given` are the values of click by the keys of flags; `command` are the words behind them.
    """
    tree: dict[str, Any] = {
        "type": word,
        "name": "",
        "namespace": chosen_api().namespace,
        "command": " ".join(command),
    }
    for flag in flags_of(word):
        texts = given.get(flag.key)
        if texts is None or texts == ():
            continue
        if flag.refused:
            raise Mistyped(f"{flag.name} is not taken", flag.refused)
        _put(tree, flag.field, _value(flag, texts))
    if "image_pull_secrets" not in tree:
        from corral import assembly  # what a wrong flag ends must not pay for it

        tree["image_pull_secrets"] = assembly.image_pull_secrets()
    submission = msgspec.convert(tree, Submission)
    if submission.may_start_here and (folder := _folder_here()):
        submission = msgspec.structs.replace(submission, working_dir=folder)
    refuse_faults(submission)
    return submission


def _folder_here() -> str:
    """Returns the folder in which the command was typed if pods see the same files, else ""."""
    if not is_here():
        return ""
    try:
        return os.getcwd()
    except FileNotFoundError as error:
        raise Mistyped("the folder in which this was typed is gone", "give --working-dir") from error


def is_here() -> bool:
    """Whether the job is made on this machine; nothing is started for the answer."""
    from corral import assembly

    api = chosen_api()
    return assembly.is_this_machine(api.kubeconfig, api.context)


def refuse_faults(submission: Submission) -> None:
    """Tells everything that is wrong with a submission, in one line."""
    if faults := faults_of(submission):
        raise _told(submission, faults)


def _value(flag: Flag, texts: Any) -> Any:
    if flag.is_switch:
        return texts
    try:
        if flag.value.gather is None:
            return flag.value.read(texts)
        return flag.value.gather(flag.value.read(text) for text in texts)
    except ValueError as error:
        raise Mistyped(f"{flag.name}: {error}", _help()) from error


def _typed() -> str:
    """Returns the command that was typed, such as `corral submit tfjob`."""
    return click.get_current_context().command_path


def _help() -> str:
    return f"`{_typed()} --help` shows how flags are written"


def _put(tree: dict[str, Any], field: str, value: Any) -> None:
    *path, last = field.split(".")
    for part in path:
        tree = tree.setdefault(part, {})
    tree[last] = value


def _told(submission: Submission, faults: Sequence[Fault]) -> Mistyped:
    names = {flag.field: flag.name for flag in reversed(list(flags_of(submission.type))) if flag.field}
    parts = [f"{names.get(fault.field, '--' + fault.field)}: {fault.sentence}" for fault in faults]
    return Mistyped("; ".join(dict.fromkeys(parts)), _hint(submission, faults))


def _hint(submission: Submission, faults: Sequence[Fault]) -> str:
    if not submission.name:
        return f"{_typed()} --name NAME --image IMAGE 'COMMAND'"
    if not submission.image and [fault.field for fault in faults] == ["image"] and is_here():
        return "--image NAME; on one machine any name does, since commands run in your own environment"
    return _help()
