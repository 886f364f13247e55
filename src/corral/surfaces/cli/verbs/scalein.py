"""`corral scalein`."""

from corral.surfaces.cli.acts.scaling import scaling_group

scalein = scaling_group("scalein", inward=True)
