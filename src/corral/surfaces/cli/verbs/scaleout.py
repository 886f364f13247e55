"""`corral scaleout`."""

from corral.surfaces.cli.acts.scaling import scaling_group

scaleout = scaling_group("scaleout", inward=False)
