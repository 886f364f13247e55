"""Which framework a script is run for: the one that was named, else the one that its imports tell, as far as that matters."""

from typing import NamedTuple

from corral.errors import PermanentError
from corral.kinds.script_run.framework_guess import Guess
from corral.kinds.script_run.frameworks import PYTORCH, Framework


class Chosen(NamedTuple):
    """A framework, and what the user should know about the choice."""

    framework: Framework
    note: str = ""


def chosen_framework(guess: Guess, workers: int, script: str) -> Chosen:
    """Returns the framework of a script. One worker needs to find nobody, so it runs whatever it is; several must know."""
    if guess.framework is not None:
        return Chosen(guess.framework)
    if guess.candidates:
        names = " and ".join(one.name for one in guess.candidates)
        if workers == 1:
            return Chosen(guess.candidates[0], f"{script} imports {names}; it runs for {guess.candidates[0].name}")
        hint = f"say which: --framework {guess.candidates[0].name}"
        raise PermanentError("no-framework", f"{script} imports {names}: whose {workers} workers are they?", hint=hint)
    if workers == 1:
        return Chosen(
            PYTORCH, f"{script} imports no framework that is known; it runs as a plain process, in a PyTorchJob"
        )
    message = f"{script} imports no framework that is known, so how its {workers} workers find each other is not clear"
    hint = "--framework pytorch (or tensorflow, jax, xgboost, mpi, paddle, mxnet) says it"
    raise PermanentError("no-framework", message, hint=hint)
