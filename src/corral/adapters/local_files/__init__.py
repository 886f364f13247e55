"""Files of this machine, packed into archives and taken out of them."""
