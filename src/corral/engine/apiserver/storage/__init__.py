"""One SQLite file holds the log of writes; the newest row of each key is the object. One writer, fsync before reply."""
