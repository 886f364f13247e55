"""`corral use`."""

from typing import TYPE_CHECKING

import click

from corral import assembly
from corral.surfaces.cli.connection import chosen_api, namespace_given
from corral.surfaces.cli.render.objects import say_data
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.render.plain import table
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.words.output_form import DATA_FORMS, OutputForm, output_option

if TYPE_CHECKING:
    from corral.assembly.contexts import Contexts


@click.command()
@click.argument("name", default="", metavar="[NAME]")
@click.option(
    "-n", "--namespace", default="", metavar="NAME", callback=namespace_given, help="The namespace to use with it."
)
@click.option("--clear", is_flag=True, help="Forget the choice; a dash as the name does so too.")
@output_option(*DATA_FORMS)
def use(name: str, namespace: str, clear: bool, output: OutputForm) -> None:
    """Choose the API and the namespace for later commands.

    \b
    corral use                      the contexts, and which one counts
    corral use prod                 a context of the kubeconfig
    corral use prod -n vision       and a namespace in it
    corral use -n vision            only the namespace
    corral use embedded             the API of this machine
    corral use --clear              the current kube context counts again

    The choice is Corral's own: the kubeconfig is not changed. --context and CORRAL_CONTEXT count more, and so does the file
    of a project. A namespace counts only with the context that it was chosen for.
    """
    choice = chosen_api()
    name, namespace = name or choice.context, namespace or choice.namespace
    if choice.kubeconfig:
        hint = "set KUBECONFIG, or type `corral config set kubeconfig FILE` first"
        raise Mistyped("a choice is kept for the kubeconfig that always counts, without --kubeconfig", hint)
    if clear or name == "-":
        if namespace or (clear and name):
            raise Mistyped("what is forgotten needs no name", "`corral use --clear`")
        _clear()
    elif name or namespace:
        used = assembly.use(name, namespace)
        say(f"using {used.context}" + (f", namespace {used.namespace}" if used.namespace else ""))
        _tell_stronger(used.context)
    else:
        _show(assembly.known_contexts(), output)


def _clear() -> None:
    target = assembly.forget_used()
    if target is None:
        say("forgotten")
    else:
        say(f"forgotten; commands talk to {target.context or 'this cluster'} (chosen by {target.chosen_by})")


def _tell_stronger(context: str) -> None:
    """Tells when something else counts more than what was just chosen."""
    said = assembly.read_settings().of("context")
    if said.value != context:
        tell(f"note: here {said.value} counts, chosen by {said.origin}")


def _show(contexts: "Contexts", output: OutputForm) -> None:
    if not output.is_for_people:
        say_data([one._asdict() for one in contexts.known], [one.name for one in contexts.known], output)
    else:
        rows = [("*" if one.is_chosen else "", one.name, one.namespace, one.server or "-") for one in contexts.known]
        say(table([("", "CONTEXT", "NAMESPACE", "SERVER"), *rows]))
    if contexts.trouble:
        tell(f"note: {contexts.trouble}")
    elif output.is_for_people:
        tell(f"chosen by {contexts.chosen_by}")
