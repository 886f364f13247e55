"""Measures pods as processes: what `corral up` costs beside doing the same by hand, on the same machine, in the same run.

`corral_up` is the side that is measured and `by_hand` the one it is compared with; `manifests` are the examples' own, cut to
measure; `spending` says who used the processors. `overhead`, `start`, `crowd`, `rest` and `servers` are the measures;
`intervals` and `gates` judge what came out, `report` and `plot` show it.
"""
