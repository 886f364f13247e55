"""`corral whoami`."""

import json

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say
from corral.surfaces.cli.words.output_form import OutputForm, output_option


@click.command()
@output_option("json", "yaml", "name", "jsonpath=TEMPLATE")
@api_options
def whoami(output: OutputForm) -> None:
    """Tell who you are for the API, as JSON: name, id, and whether you may do everything.

    The API is asked; one that does not tell is answered for by the kubeconfig.
    """
    from corral.control.desk.cluster.identities import who_am_i

    with connected() as session:
        me = who_am_i(session)
    if output.is_for_people:
        say(json.dumps(me.document(), ensure_ascii=False, separators=(",", ":")))
    else:
        from corral.surfaces.cli.render.objects import say_data

        say_data(me.document(), [me.name], output)
