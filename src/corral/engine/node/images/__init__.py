"""What an image name means on this machine: which Python environment it stands for, and what it runs by itself.

`mapping` is what one line of `corral image map` says, `matching` decides which of them counts for an image, `meaning` what
a container of that image runs, `register` keeps them in a file, `orders` are the uses of the command line.
"""
