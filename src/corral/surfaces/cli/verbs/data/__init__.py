"""`corral data`: the data volumes that jobs can use."""

from corral.surfaces.cli.calling.lazy_group import LazyGroup
from corral.surfaces.cli.commands import Entry, Section
from corral.surfaces.cli.connection import api_options

SECTIONS: dict[str, Section] = {"Volumes": {"list": Entry("Show the claims that are ready for use.", ("ls",))}}

data = api_options(
    LazyGroup(
        name="data",
        package=__name__,
        sections=SECTIONS,
        help="""Show the data volumes that jobs can use.

    \b
    corral data list
    corral submit pytorchjob --data images:/images ...
    """,
    )
)
