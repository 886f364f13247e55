"""The command line. Its start-up path imports only click, msgspec, PyYAML and the standard library."""
