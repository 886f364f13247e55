"""From a script on this machine to the submission that runs it, here or on a cluster."""

import os
import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

from corral.errors import PermanentError
from corral.kinds.script_run.framework_choice import Chosen, chosen_framework
from corral.kinds.script_run.framework_guess import Guess, guessed
from corral.kinds.script_run.frameworks import MPI, framework_named
from corral.kinds.script_run.run_name import name_of_run
from corral.kinds.script_run.script_run import CODE_FOLDER, ScriptRun, submission_of
from corral.kinds.submission.code_bundle import CodeBundle, in_kib, listed
from corral.kinds.submission.submission import Submission

_LARGEST_SCRIPT = 4 * 1024 * 1024
_SIGNS = "bcdfghjklmnpqrstvwxz2456789"  # no vowels, so that no words appear; no look-alikes


class ScriptWish(NamedTuple):
    """What somebody says about a script; nothing said is decided here."""

    script: str
    args: tuple[str, ...] = ()
    framework: str = ""
    python: str = ""
    """Another interpreter of this machine than the one in use."""
    code: str = ""
    """How code reaches the workers: `folder` when they see this one, `configmap` when it is sent to them."""
    fields: Mapping[str, Any] = {}
    """Fields of the submission."""


class Prepared(NamedTuple):
    """What is to be submitted, and what the user should know about it."""

    submission: Submission
    notes: tuple[str, ...] = ()


def prepare_script(wish: ScriptWish, *, is_here: bool) -> Prepared:
    """Returns the submission that runs a script; `is_here` says whether its pods are processes of this machine."""
    fields = dict(wish.fields)
    guess, chosen = _framework(wish, int(fields.get("workers", 1)))
    _refuse_no_image(wish, is_here=is_here)
    fields["name"] = fields.get("name") or name_of_run(wish.script, new_token())
    is_sent = wish.code == "configmap" or (not wish.code and not is_here)
    folder, name = os.path.split(os.path.abspath(wish.script))
    bundle = _bundle(folder, name) if is_sent else None
    python, launcher = _programs(wish, chosen)
    run = ScriptRun(
        framework=chosen.framework,
        script=name if is_sent else wish.script,
        args=wish.args,
        python=python,
        launcher=launcher,
        working_dir=CODE_FOLDER if is_sent else os.getcwd(),
        code=bundle,
        modules=guess.modules,
        more=_said(fields),
    )
    notes = [chosen.note] if chosen.note else []
    return Prepared(submission_of(run), (*notes, *(_told(bundle) if bundle is not None else ())))


def prepare_function(wish: ScriptWish, code: CodeBundle, source: str, *, is_here: bool) -> Prepared:
    """Returns the submission that runs a function: `code` holds everything, and the script of the wish in it calls it.

    `source` tells what the function is for, and the name of the wish's fields, if any, is that of the function.
    """
    fields = dict(wish.fields)
    what = str(fields.pop("function"))
    guess = guessed(source, what, lambda _: None)
    chosen = Chosen(framework_named(wish.framework)) if wish.framework else None
    chosen = chosen or chosen_framework(guess, int(fields.get("workers", 1)), what)
    _refuse_no_image(wish, is_here=is_here)
    fields["name"] = fields.get("name") or name_of_run(what, new_token())
    python, launcher = _programs(wish, chosen)
    run = ScriptRun(
        framework=chosen.framework,
        script=wish.script,
        python=python,
        launcher=launcher,
        code=code,
        modules=guess.modules,
        more=_said(fields),
    )
    return Prepared(submission_of(run), (chosen.note,) if chosen.note else ())


def _said(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {field: value for field, value in fields.items() if value not in ("", None)}


def _programs(wish: ScriptWish, chosen: Chosen) -> tuple[str, str]:
    """Returns the interpreter and the launcher of MPI: of this machine, or those that an image has."""
    from corral.adapters.system.interpreter import program_beside, python_at, python_of

    if wish.fields.get("image"):
        return "python", "mpirun"
    python = python_at(wish.python) if wish.python else python_of(os.environ)
    return python, program_beside(python, "mpirun", os.environ) if chosen.framework == MPI else "mpirun"


def new_token() -> str:
    """Returns a few letters that make a name new."""
    return "".join(secrets.choice(_SIGNS) for _ in range(5))


def _framework(wish: ScriptWish, workers: int) -> tuple[Guess, Chosen]:
    from corral.adapters.system.code_folder import own_module, read_file

    if not wish.script.endswith(".py"):
        hint = _near(wish.script) or "`corral submit` runs any command"
        raise PermanentError(
            "bad-script", f"{wish.script} is no Python script: its name does not end in .py", hint=hint
        )
    try:
        text = read_file(wish.script, _LARGEST_SCRIPT).decode(errors="replace")
    except PermanentError as error:
        error.hint = _near(wish.script) or f"scripts are looked for in this folder, {os.getcwd()}"
        raise
    folder = os.path.dirname(os.path.abspath(wish.script))
    if not wish.framework:
        guess = guessed(text, wish.script, lambda name: own_module(folder, name))
        return guess, chosen_framework(guess, workers, wish.script)
    try:
        guess = guessed(text, wish.script, lambda _: None)
    except PermanentError:
        guess = Guess((), frozenset())  # whoever says what a script is for need not have it understood
    return guess, Chosen(framework_named(wish.framework))


def _near(script: str) -> str:
    """Returns the hint with the scripts beside a name that is none, "" when none is near."""
    from corral.control.desk.naming.suggestions import did_you_mean_file

    try:
        beside = os.listdir(os.path.dirname(script) or ".")
    except OSError:
        return ""
    return did_you_mean_file(script, (one for one in beside if one.endswith(".py")))


def _refuse_no_image(wish: ScriptWish, *, is_here: bool) -> None:
    if wish.python and wish.fields.get("image"):
        raise PermanentError("no-python", "--image brings a python of its own", hint="leave out --python or --image")
    if is_here:
        return
    if not wish.fields.get("image"):
        hint = "--image pytorch/pytorch:latest, say; the code is sent along, so it need not be in it"
        raise PermanentError("no-image", "a cluster needs an image with the packages of the script", hint=hint)


def _bundle(folder: str, script: str) -> CodeBundle:
    from corral.adapters.system.code_folder import bundle_of_folder

    bundle = bundle_of_folder(folder)
    if script not in [one.path for one in bundle.files]:
        raise PermanentError("bad-script", f"{script} is hidden or no text, so it cannot be sent")
    return bundle


def _told(bundle: CodeBundle) -> list[str]:
    told = [f"{len(bundle.files)} files of code ({in_kib(bundle.size)}) go along"]
    return told + ([f"left out, since they are large or no text: {listed(bundle.left_out)}"] if bundle.left_out else [])
