"""Stands for the program of an image: an example of ours with few steps, whose output nobody keeps.

The mapping of the image says by PYTHONPATH which example it is, by EXAMPLE_WORDS what it is told, and by EXAMPLE_STEPS how many
steps it takes if it has no word for them. What the manifest tells the image's own program is repeated for people to see.
"""

import importlib
import os
import shlex
import sys
from tempfile import TemporaryDirectory

print("told:", *sys.argv[1:], flush=True)
train = importlib.import_module("train")
sys.argv = ["train.py", *shlex.split(os.environ.get("EXAMPLE_WORDS", ""))]
for name in ("STEPS", "ROUNDS"):
    if hasattr(train, name):
        setattr(train, name, int(os.environ["EXAMPLE_STEPS"]))
with TemporaryDirectory() as folder:
    os.environ["OUTPUT_DIR"] = folder
    train.main()
