"""A training step by its parts: one layer of one stage, and the pipeline of one replica, instead of all GPUs and all layers.

    import heddle

    found = heddle.step.step("configs/llama_405b.toml", "step", {"simulation.horizon": "0 s"})
    found.values["time"]           # Interval(low_ps, high_ps, ...)
    print(found)                   # the table of `heddle step`
    print(heddle.step.steps("configs/llama_405b.toml", {"dcqcn.enabled": [False, True]}, "both"))  # variants beside each other
    print(heddle.step.compare(["step", "step_dcqcn"]))  # the table of `heddle compare`

step/README.md says how, and how far off that is.
"""

from heddle.step.comparing import Comparison, Difference, compare
from heddle.step.estimate import Estimate, Interval, Steps
from heddle.step.job import NotInParts
from heddle.step.making import packet_hops, step, steps
from heddle.step.failures.month import Interruptions
from heddle.step.planning import plan
from heddle.step.quoting import Rates

__all__ = [
    "Comparison",
    "Difference",
    "Estimate",
    "Interruptions",
    "Interval",
    "NotInParts",
    "Rates",
    "Steps",
    "compare",
    "packet_hops",
    "plan",
    "step",
    "steps",
]
