"""When a gang that waits will start: an estimate with a band that is calibrated by what came of earlier estimates.

`run_times.py` learns how long gangs run, `ahead.py` plays through what stands before one, `bands.py` corrects both by how wrong they
were so far. Nothing here looks into the future: what is learnt from a gang is learnt when it starts or ends.
"""
