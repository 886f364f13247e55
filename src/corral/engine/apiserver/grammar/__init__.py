"""How single values are written: names and amounts. The ground floor of the server: nothing here imports the rest of it."""
