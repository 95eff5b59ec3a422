"""Run by python_test.cpp: reads the files that it wrote, a finished one and a partial one."""

import sys

import h5py
import heddle
import numpy as np
import xarray as xr


def check_finished(path):
    with heddle.open(path) as run:
        assert run.attrs["status"] == "complete", run.attrs
        assert run.attrs["digest"] == "0123456789abcdef"
        assert run.attrs["seed"] == 7
        assert "[dcqcn]" in run.config
        messages = run.messages()
        assert list(messages.columns)[:9] == [
            "id",
            "purpose",
            "job",
            "checkpoint",
            "qp",
            "fabric",
            "class",
            "src",
            "dst",
        ], messages.columns
        assert (
            messages[["purpose", "job", "checkpoint", "fabric", "class"]].values.tolist()
            == [["own", -1, -1, "gpus", "lossless"]] * 2
        )
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
        assert list(pfc["kind"].cat.categories) == ["pause", "resume"]
        assert list(run.events("completion")["kind"].cat.categories)[:2] == ["message_received", "message_acked"]
        assert "watchdog" in run.events("drop")["cause"].cat.categories
        assert list(collectives["kind"].cat.categories) == ["all_reduce"]
        assert list(run.nodes()["tier"].cat.categories) == ["endpoint", "rtsw"]
        ranks = run.job_ranks()
        assert list(ranks.itertuples(index=False, name=None)) == [(0, i, i, f"gpu{i}") for i in range(4)], ranks
        parameters = run.parameters().set_index("key")
        assert parameters.loc["link.rate", "number"] == 4e11 and parameters.loc["link.rate", "unit"] == "bit/s"
        assert np.isnan(parameters.loc["topology.kind", "number"])
        assert list(run.nodes()["name"]) == ["gpu0", "gpu1", "gpu2", "gpu3", "rtsw0"]
        links = run.links()
        assert len(links) == 8
        assert list(links["src_name"][:2]) == ["gpu0", "gpu1"] and list(links["dst_name"][:2]) == ["rtsw0", "rtsw0"]
        assert list(links["packets"]) == [100, 101, 102, 103, 104, 105, 106, 107]
        assert links["peak_queue_bytes"][4] == 4_000 and links["peak_queue_ps"][0] == -1
        assert abs(links["use"][5] - 1_005 * 8e12 / 400e9 / 30_000_000) < 1e-12
        assert links.attrs["units"]["sent_bytes"] == "B" and links.attrs["units"]["use"] == "1"
        assert list(links["qps"]) == [-1] * 8, "nobody has told the writer"
        balance = run.balance()
        assert list(balance.index) == ["endpoint>rtsw", "rtsw>endpoint"] and list(balance["links"]) == [4, 4]
        down = balance.loc["rtsw>endpoint"]
        sent = np.array([1_004.0, 1_005, 1_006, 1_007])
        assert abs(down["busiest_over_mean"] - 1_007 / sent.mean()) < 1e-12
        assert abs(down["jain_index"] - sent.sum() ** 2 / (4 * (sent**2).sum())) < 1e-12
        assert down["use_p0"] == links["use"][4] and down["use_p50"] == links["use"][5] and down["use_p100"] == links["use"][7]
        assert np.isnan(down["most_qps"]) and np.isnan(down["mean_messages"])
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


def check_plain_h5py(path, part):
    """Texts are str for whoever uses h5py alone, also those that the end overwrites."""
    with h5py.File(path, "r") as file:
        assert file.attrs["status"] == "complete" and isinstance(file.attrs["status"], str)
        assert file.attrs["digest"] == "0123456789abcdef" and file.attrs["explanation"] == ""
        assert file.attrs["Conventions"] == "CF-1.10"
        assert file.attrs["title"] == "packet-level simulation of 4 GPUs, 1 switch, 1 job of 1 all-reduce, 2 messages"
        kind = file["event/pfc/kind"].attrs
        assert list(kind["flag_values"]) == [2, 3] and kind["flag_meanings"] == "pause resume", "the codes of this dataset"
        assert all(isinstance(value, (str, np.number)) for value in file.attrs.values()), dict(file.attrs)
    with h5py.File(part, "r", libver="latest", swmr=True) as file:
        assert file.attrs["status"] == "partial" and file.attrs["digest"] == ""


def check_types(path):
    """Nothing that the reader gives wraps around in the arithmetic that people write."""
    with heddle.open(path) as run:
        queue = run.series("queue_bytes")
        assert queue.dtype == np.int64 and int(queue.diff("time_ps").min()) < 0, "a queue that empties"
        sent = run.series("sent_bytes")
        share = sent * 8e12 / (sent["bits_per_s"] * sent["time_ps"])
        assert sent["bits_per_s"].dtype == np.float64
        assert list(share.sel(tier="endpoint>rtsw").values) == [0.75, 0.75, 0.375], share
        for frame in (run.messages(), run.collectives(), run.links(), run.nodes(), run.events("pfc"), run.events("completion")):
            assert not any(dtype.kind == "u" for dtype in frame.dtypes), frame.dtypes
        assert run.events("drop")["packet"].dtype == np.uint64, "bit fields stay what they are"
        assert run.links()["bits_per_s"].dtype == np.float64


def check_utilisation(path):
    """Written by python_test.cpp: 400 Gb/s links at 75 % up and idle down, for 1 ms; then nothing for 1 ms."""
    with heddle.open(path) as run:
        use = run.utilisation()
        assert use.dims == ("time_ps", "tier") and use.attrs["units"] == "1"
        assert list(use["time_ps"].values) == [500_000_000, 1_000_000_000, 2_000_000_000]
        assert list(use.sel(tier="endpoint>rtsw").values) == [0.75, 0.75, 0.0], use
        assert list(use.sel(tier="rtsw>endpoint").values) == [0, 0, 0], use
        mean = use.weighted(use["interval_ps"]).mean("time_ps")
        assert float(mean.sel(tier="endpoint>rtsw")) == 0.375, mean
        by_link = run.utilisation(by="link")
        assert list(by_link.sel(link=2).values) == [0.75, 0.75, 0.0], by_link
        assert (str(by_link["src"][2].item()), str(by_link["dst"][2].item())) == ("gpu2", "rtsw0")


def check_closed(path):
    run = heddle.open(path)
    run.close()
    run.close()
    assert run.attrs["status"] == "complete"
    for read in (run.messages, run.links, run.utilisation, lambda: run.config, lambda: run.perf, lambda: run.events("pfc")):
        try:
            read()
            raise AssertionError("a closed file was read")
        except ValueError as error:
            assert "was closed" in str(error) and path in str(error), error


def check_partial(path):
    with heddle.open(path) as run:
        assert run.partial
        assert run.messages().empty
        assert len(run.links()) == 8 and "packets" not in run.links() and run.balance().empty
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
check_closed(sys.argv[1])
check_plain_h5py(sys.argv[1], sys.argv[2])
check_partial(sys.argv[2])
check_types(sys.argv[3])
check_utilisation(sys.argv[3])
check_xarray_opens_groups(sys.argv[1])
