"""heddle trace: a result as a trace that Perfetto (ui.perfetto.dev) and chrome://tracing open.

    from heddle.trace import Choice, write_trace
    write_trace("run.h5", "trace.json.gz", Choice(gpus="0-7", links="8", until_ps=2_000_000_000))

What is in it, and what a result cannot tell: trace/README.md.
"""

from heddle.trace.choice import Choice
from heddle.trace.making import write_trace

__all__ = ["Choice", "write_trace"]
