"""Prints what a layer's parameters and gradients take with DCQCN off and on, as an axis of `heddle sweep`: HEDDLE OUT_FOLDER SWEEP."""

import sys

from study import Study, select
from layers import slowest_ps

study = Study([*sys.argv[1:3], "full"])
runs = study.runs(sys.argv[3])
points = []
for enabled in (False, True):
    times = slowest_ps(select(runs, **{"dcqcn.enabled": enabled})[0])
    points.append(f"{str(enabled).lower()}:{times['all_gather']} ps:{times['reduce_scatter']} ps")
print(",".join(points))
