"""Run by python_test.cpp: reads the files that it wrote, a finished one and a partial one."""

import sys

import heddle_results as heddle
import numpy as np
import xarray as xr


def check_finished(path):
    with heddle.open(path) as run:
        assert run.attrs["status"] == "complete", run.attrs
        assert run.attrs["digest"] == "0123456789abcdef"
        assert run.attrs["seed"] == 7
        assert "[dcqcn]" in run.config
        messages = run.messages()
        assert list(messages.columns)[:5] == ["id", "job", "qp", "src", "dst"], messages.columns
        assert list(messages["src"]) == [0, 2]
        assert list(messages["finish_ps"] - messages["posted_ps"]) == [7_000_000, 8_000_000]
        assert messages.attrs["units"]["bytes"] == "B"
        collectives = run.collectives()
        assert list(collectives["kind"]) == ["all_reduce"]
        assert list(collectives["algorithm"]) == ["ring"]
        assert abs(collectives["busbw_GBps"][0] - 157.2864) < 1e-9
        pfc = run.events("pfc")
        assert list(pfc["kind"]) == ["pause", "resume"]
        assert list(pfc["time_ps"]) == [32768, 65536]
        assert list(run.events("drop")["cause"]) == ["headroom_overrun"]
        assert list(run.events("completion")["rank"]) == [-1, 3]
        assert list(run.nodes()["name"]) == ["gpu0", "gpu1", "gpu2", "gpu3", "rtsw0"]
        links = run.links()
        assert len(links) == 8
        assert list(links["src_name"][:2]) == ["gpu0", "gpu1"] and list(links["dst_name"][:2]) == ["rtsw0", "rtsw0"]
        assert list(links["packets"]) == [100, 101, 102, 103, 104, 105, 106, 107]
        assert links["peak_queue_bytes"][4] == 4_000 and links["peak_queue_ps"][0] == -1
        assert abs(links["use"][5] - 1_005 * 8e12 / 400e9 / 30_000_000) < 1e-12
        assert links.attrs["units"]["sent_bytes"] == "B" and links.attrs["units"]["use"] == "1"
        assert list(messages["received_bytes"]) == [4096, 10_000]
        queue = run.series("queue_bytes", by="tier")
        assert queue.dims == ("time_ps", "tier") and queue.shape == (100, 2)
        assert list(queue["tier"].values) == ["endpoint>rtsw", "rtsw>endpoint"]
        assert int(queue.sel(tier="rtsw>endpoint")[99]) == 4 * 1000 + 4 + 5 + 6 + 7
        assert queue.attrs["units"] == "B"
        assert int(run.series("sent_bytes", by="link").sel(link=5)[99]) == 100_005
        assert int(run.histogram("queue_depth").sum()) == 100 * 8
        assert int(run.histogram("message_completion").sum()) == 2
        pauses = run.histogram("pause_length")
        assert int(pauses.sel(tier="endpoint>rtsw").sum()) == 1 and int(pauses.sum()) == 1
        assert pauses.attrs["lacks"] == "" and pauses.attrs["unfinished"] == 0
        assert int(pauses.where(pauses > 0, drop=True)["pause_ps"][0]) == 32768
        assert run.perf["packet_hops"] == 1234
        try:
            run.series("nothing")
            raise AssertionError("an unknown quantity was accepted")
        except KeyError as error:
            assert "queue_bytes" in str(error)


def check_partial(path):
    with heddle.open(path) as run:
        assert run.partial
        assert run.messages().empty
        assert len(run.links()) == 8 and "packets" not in run.links()
        assert run.series("queue_bytes").shape == (64, 2)
        assert int(run.histogram("queue_depth").sum()) == 0


def check_xarray_opens_groups(path):
    """The file needs no reader of ours: dimension scales are enough for xarray itself."""
    try:
        import h5netcdf  # noqa: F401
    except ImportError:
        return
    series = xr.open_dataset(path, group="/series/tier", engine="h5netcdf", phony_dims="access")
    assert series["sent_bytes"].dims == ("time_ps", "tier"), series
    messages = xr.open_dataset(path, group="/message", engine="h5netcdf", phony_dims="access")
    assert messages["bytes"].dims == ("id",), messages
    assert np.array_equal(messages["bytes"].values, [4096, 10_000])


check_finished(sys.argv[1])
check_partial(sys.argv[2])
check_xarray_opens_groups(sys.argv[1])
