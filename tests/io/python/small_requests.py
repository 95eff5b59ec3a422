"""Small results of clients that ask servers and of a job that reads its data: each made once per test program."""

import functools

import small_runs
from small_checkpoints import CONFIG, SHARED

# Beside the job of small_checkpoints, whose GPUs read 100 KB for each iteration in three chunks, hosts 2 and 3 ask two servers at once,
# five times each.
DATA = '[job.training.data]\nbytes_per_gpu = "100 KB"\nchunk = "40 KB"\nclass = "best_effort"\nservice = "2 us"\n'
REQUESTS = """[[generator]]
kind = "requests"
first_host = 2
hosts = 2
first_server = 4
servers = 3
stripes = 2
outstanding = 2
messages = 5
bytes = "10 KB"
service = "3 us"
"""


@functools.cache
def both(name="requests", *settings, generators=1):
    path = small_runs.folder() / f"{name}.toml"
    path.write_text(CONFIG + SHARED + DATA + SHARED + generators * REQUESTS)
    return small_runs.simulate(f"{name}.h5", [path], *settings)


def slower():
    """Servers take longer to answer."""
    return both("slower", "generator.0.service=30 us")


def two_generators():
    return both("two_generators", "generator.1.bytes=40 KB", generators=2)


def by_tcp():
    """Requests and data go by TCP, whose windows are recorded."""
    tcp = ("class.best_effort.transport=tcp", "generator.0.class=best_effort", "output.tcp_windows=true")
    return both("by_tcp", *tcp)


def cut_off():
    """The run ends while requests are under way."""
    return both("cut_off", "simulation.horizon=9 us")
