"""Small results of training jobs that write checkpoints: each made once per test program."""

import functools

import small_runs

# Two GPUs of a star train; two more hosts send each other messages of one class each; the last three are storage servers.
CONFIG = """
[topology]
kind = "star"
hosts = 7
[class.best_effort]
limit = "4 MB"
[workload]
jitter_packets = 0
[[job]]
gpus = 2
gpus_per_server = 1
[job.training]
model = "custom"
layers = 1
hidden = 64
ffn_hidden = 64
attention_heads = 4
kv_heads = 4
vocabulary = 8
sequence_length = 16
forward = "10 us"
iterations = 4
[job.training.checkpoint]
every = 2
bytes_per_gpu = "400 KB"
chunk = "40 KB"
class = "best_effort"
blocking = false
copy_rate = "100 GB/s"
"""
SHARED = "first_host = 4\nhosts = 3\n"
FRONTEND = """fabric = "frontend"
[[fabric]]
name = "frontend"
storage_hosts = 2
[fabric.topology]
kind = "star"
hosts = 9
"""
OWN = "".join(f'[[message]]\nsrc = 2\ndst = 3\nbytes = "{kb} KB"\npost = "{kb} us"\n' for kb in (10, 20, 30, 40))
OWN += '[[message]]\nsrc = 3\ndst = 2\nbytes = "50 KB"\nclass = "best_effort"\n'


@functools.cache
def result(name, *parts, settings=()):
    path = small_runs.folder() / f"{name}.toml"
    path.write_text(CONFIG + "".join(parts))
    return small_runs.simulate(f"{name}.h5", [path], *settings)


def shared():
    """By the network of the GPUs, beside messages of two classes."""
    return result("checkpoint_shared", SHARED, OWN)


def frontend():
    """By a network of its own."""
    return result("checkpoint_frontend", FRONTEND)


def without():
    """None is written."""
    return result("checkpoint_none", SHARED, settings=("job.0.training.checkpoint.every=0",))
