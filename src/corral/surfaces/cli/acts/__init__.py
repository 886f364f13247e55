"""What more than one command does: waiting, listing, following, running, scaling, reading files."""
