"""A Python script as a training job: which framework it is for, which files it needs, and which objects that becomes. Pure.

`corral run` and the functions of the SDK are both a `ScriptRun`; neither asks anybody for YAML or for an image of one's own.
"""
