"""`corral scaleout`."""

from corral.surfaces.cli.scaling import scaling_group

scaleout = scaling_group("scaleout", inward=False)
