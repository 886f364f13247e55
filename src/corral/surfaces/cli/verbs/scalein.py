"""`corral scalein`."""

from corral.surfaces.cli.scaling import scaling_group

scalein = scaling_group("scalein", inward=True)
