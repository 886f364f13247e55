"""What the loops need from the world: small Protocols whose docstrings are the contract. No implementation here."""
