"""Small results of a controller whose reports and routes travel: each made once per test program."""

import functools

import small_runs

CONFIG = """
[topology]
kind = "ai_zone"
racks = 2
gpus_per_rack = 2
ctsws = 2
uplinks_per_rtsw = 2
[workload]
jitter_packets = 0
[routing]
policy = "traffic_engineering"
[routing.traffic_engineering]
demands = "measured"
period = "200 us"
[routing.traffic_engineering.network]
fabric = "management"
controller = 7
first_server = 1
servers = 2
periods = 3
solve = "30 us"
[[fabric]]
name = "management"
[fabric.topology]
kind = "star"
hosts = 8
""" + "".join(
    f'[[message]]\nsrc = 0\ndst = 2\nbytes = "1 MB"\npost = "{post} us"\n'
    for post in (10, 210, 410, 700)  # something to measure in every period, and an end behind the last plan
)


@functools.cache
def planned():
    return run("planned")


@functools.cache
def slowly():
    """Solving takes longer than two periods."""
    return run("slowly", "routing.traffic_engineering.network.solve=450 us")


def run(name, *sets):
    config = small_runs.folder() / "plans.toml"
    config.write_text(CONFIG)
    return small_runs.simulate(f"{name}.h5", [config], *sets)
