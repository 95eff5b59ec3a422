"""Prints what a layer's parameters and gradients take with DCQCN off and on, as an axis of `heddle sweep`: HEDDLE OUT_FOLDER SWEEP."""

import sys

from layers import by_dcqcn, slowest_ps
from study import Study

runs = Study([*sys.argv[1:3], "full"]).runs(sys.argv[3])
points = []
for on, run in by_dcqcn(runs).items():
    times = slowest_ps(run)
    points.append(f"{str(on).lower()}:{times['all_gather']} ps:{times['reduce_scatter']} ps")
print(",".join(points))
