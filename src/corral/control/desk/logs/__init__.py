"""Reading what the pods of a job print: all ranks as one text, without losing or doubling a line."""
