"""Names on a command line, checked before anybody is asked: what cannot be a name is not there either.

Which parameters are names is known by what they are called, so that no command need say a word about it.
"""

import re
from collections.abc import Callable
from typing import Any

import click

from corral.kinds.names import is_path_segment, is_subdomain
from corral.surfaces.cli.calling.help_page import TitledCommand
from corral.surfaces.cli.speech.mistyped import Mistyped

_is_kind = re.compile(r"[A-Za-z][A-Za-z0-9]*([.-][A-Za-z0-9]+)*", re.ASCII).fullmatch
_MADE_OF = "names are made of a-z, 0-9, - and ., and begin and end with a letter or a digit"


def check_names(command: click.Command) -> None:
    """Lets the parameters of a command that are names refuse what cannot be one."""
    for parameter in command.params:
        fault_of = _rule_of(command, parameter)
        if fault_of is not None:
            parameter.callback = _checking(fault_of, parameter.callback)


Rule = Callable[[str, str], str]
"""Returns what is wrong with a word, "" when nothing is; also given is the word for the kind, "" when there is none."""


def _rule_of(command: click.Command, parameter: click.Parameter) -> Rule | None:
    if isinstance(parameter, click.Argument):
        return _OF_ARGUMENTS.get(f"{command.name} {parameter.name}") or _OF_ARGUMENTS.get(str(parameter.name))
    if isinstance(command, TitledCommand):
        return None  # a submission tells all of its faults at once
    return next((_OF_OPTIONS[name] for name in parameter.opts if name in _OF_OPTIONS), None)


def _checking(fault_of: Rule, before: Callable[..., Any] | None) -> Callable[..., Any]:
    def check(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
        given = ctx.get_parameter_source(str(parameter.name)) is click.core.ParameterSource.COMMANDLINE
        if given and not ctx.resilient_parsing:
            for word in [value] if isinstance(value, str) else value or ():
                if fault := fault_of(word, str(ctx.params.get("kind") or "")):
                    raise Mistyped(fault, _MADE_OF, ctx)
        return before(ctx, parameter, value) if before is not None else value

    return check


def name_fault(word: str, _: str = "") -> str:
    """Returns why a word cannot be a name, "" when it can."""
    return "" if is_subdomain(word) else _no_name(word)


def _job_fault(word: str, _: str = "") -> str:
    """Returns why a word cannot be NAME or KIND/NAME; kinds other than jobs and pods have names with other signs too."""
    kind, slash, name = word.partition("/")
    if not slash:
        return name_fault(word)
    if not _is_kind(kind):
        return f"{_shown(kind)} cannot be a kind"
    return _any_name_fault(name, kind)


def _kind_or_job_fault(word: str, _: str = "") -> str:
    return "" if _is_kind(word) and is_path_segment(word) else _job_fault(word)


def _any_name_fault(word: str, kind: str) -> str:
    if is_subdomain(word):
        return ""
    from corral.control.desk.naming.kinds import known_word  # only a name that looks odd needs it

    return "" if is_path_segment(word) and known_word(kind) is None else _no_name(word)


def _no_name(word: str) -> str:
    return f"{_shown(word)} cannot be a name" if word else "a name is empty"


def _shown(word: str) -> str:
    return repr(word if len(word) <= 80 else f"{word[:60]}... ({len(word)} signs)")


_OF_ARGUMENTS: dict[str, Rule] = {
    "job": _job_fault,
    "jobs": _job_fault,
    "names": _job_fault,
    "get kind": _kind_or_job_fault,
    "get name": _any_name_fault,
    "node names": name_fault,
    "job name": name_fault,
}
"""By the name of the argument, or by the command and it."""
_OF_OPTIONS: dict[str, Rule] = {
    "--name": name_fault,
    "--instance": name_fault,
    "--container": name_fault,
}
