"""`corral data list`."""

import time
from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say_painted, tell
from corral.surfaces.cli.words.all_namespaces import all_namespaces_option
from corral.surfaces.cli.words.output_form import OutputForm, output_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corral.control.desk.cluster.volumes import Volume
    from corral.surfaces.cli.render.columns import Column as VolumeColumn

    _Columns = Sequence[VolumeColumn[Volume]]


@click.command("list")
@all_namespaces_option()
@output_option()
@api_options
def list(everywhere: bool, output: OutputForm) -> None:  # noqa: A001 - the name of the command
    """Show the claims that are ready for use: those that are bound to a volume.

    \b
    corral data list
    corral data list -A -o wide

    DESCRIPTION and OWNER are annotations of the claim: description, owner.
    """
    from corral.control.desk.cluster.volumes import volumes_in

    with connected() as session:
        volumes = volumes_in(session, everywhere=everywhere)
        where = "in any namespace" if everywhere else f"in namespace {session.namespace}"
    if not output.is_for_people:
        from corral.surfaces.cli.render.objects import list_of, say_data

        names = [f"persistentvolumeclaim/{one.name}" for one in volumes]
        say_data(list_of([one.object for one in volumes]), names, output)
    elif volumes:
        say_painted(_table(volumes, everywhere=everywhere, wide=output.is_wide))
    else:
        tell(f"no claim {where} is bound to a volume")


def _table(volumes: "Sequence[Volume]", *, everywhere: bool, wide: bool) -> str:
    from corral.surfaces.cli.render.columns import Column, laid_out
    from corral.surfaces.cli.render.job_table import NOTHING
    from corral.surfaces.cli.render.plain import short_age
    from corral.surfaces.cli.render.terminal import surroundings

    now = time.time()
    columns: _Columns = [
        Column("NAME", lambda one: one.name),
        *([Column("NAMESPACE", _namespace)] if everywhere else []),
        Column("ACCESSMODE", lambda one: ",".join(one.access_modes), gives_way=1),
        Column("DESCRIPTION", lambda one: one.description, is_elastic=True),
        Column("OWNER", lambda one: one.owner, gives_way=2),
        Column("AGE", lambda one: NOTHING if one.created is None else short_age(now - one.created)),
        Column("CAPACITY", lambda one: one.capacity or NOTHING, is_ours=True),
        Column("STORAGECLASS", lambda one: one.storage_class or NOTHING, is_ours=True),
    ]
    return laid_out(columns, volumes, surroundings(), wide=wide)


def _namespace(one: "Volume") -> str:
    return one.namespace
