"""Figures of a result: each is a table taken from the file, and a drawing of it. `heddle report` and `heddle plot` use the same.

    from heddle.figures import FIGURES, Missing
    frame = FIGURES["busbw"].data(run)       # a DataFrame; raises Missing, saying why the file has no such data
    drawing = FIGURES["busbw"].draw([Cell(entries=[("", frame)])])

To add one: figures/README.md.
"""

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"figures need matplotlib ({error}): ./bootstrap.sh deps installs it; by hand, on Debian: apt-get install "
        "python3-matplotlib, "
        "elsewhere: pip install matplotlib"
    ) from error

from heddle.figures.checkpoints import Checkpoints
from heddle.figures.collectives import Busbw, BusbwOverTime, Stragglers
from heddle.figures.completion_ecdf import CompletionEcdf
from heddle.figures.completions import Completions
from heddle.figures.distributions import PauseLengths, QueueHistogram
from heddle.figures.figure import Cell, Drawing, Figure, Missing
from heddle.figures.gpu_time import GpuTime
from heddle.figures.heat import LinkHeat
from heddle.figures.iterations import Iterations
from heddle.figures.link_matrix import LinkMatrix
from heddle.figures.losses import Drops, Failures
from heddle.figures.pause_tree import PauseTree
from heddle.figures.ranked_links import BusiestLinks, LargestQueues, PausedLinks
from heddle.figures.requests import RequestEcdf
from heddle.figures.slowdown import Slowdown
from heddle.figures.tcp_window import TcpWindow
from heddle.figures.tiers import EcnMarks, LinkUse, PauseTime, QueueDepth

# In the order of a report.
FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        Busbw(),
        BusbwOverTime(),
        Stragglers(),
        CompletionEcdf(),
        Slowdown(),
        RequestEcdf(),
        Completions(),
        TcpWindow(),
        Iterations(),
        Checkpoints(),
        GpuTime(),
        LinkUse(),
        LinkHeat(),
        LinkMatrix(),
        BusiestLinks(),
        QueueDepth(),
        QueueHistogram(),
        LargestQueues(),
        PauseTime(),
        PauseTree(),
        PausedLinks(),
        PauseLengths(),
        EcnMarks(),
        Drops(),
        Failures(),
    )
}

__all__ = ["FIGURES", "Cell", "Drawing", "Figure", "Missing"]
