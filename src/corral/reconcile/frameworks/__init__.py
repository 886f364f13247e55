"""What distinguishes one training framework from another: role shapes, environment and success rules, one file each."""
