"""One result file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

import h5py
import numpy as np
import pandas as pd
import xarray as xr

from heddle.results.columns import numbers, table, text, values, values_of
from heddle.results.damage import reading
from heddle.results.errors import FormatError
from heddle.results.fabric import balance_of, links_of
from heddle.results.kinds import expect_kinds
from heddle.results.missing import NO_SUMMARY, missing_in
from heddle.results.opening import open_hdf5, reason_of
from heddle.results.series import quantities_of, read_series, utilisation_of

By = Literal["tier", "link"]
Summary = Literal["message", "message_kind", "request", "iteration", "collective"]

FORMAT = "heddle-results"
FORMAT_VERSION = 1
# Histogram -> its bins' lower edges.
EDGES = {"queue_depth": "queue_bytes", "pause_length": "pause_ps", "message_completion": "completion_ps", "cts_wait": "wait_ps"}
SUMMARIES = ("message", "message_kind", "request", "iteration", "collective")
STATUSES = "partial complete horizon stalled deadlock qp_failed error interrupted output_full".split()


def open(path: str | os.PathLike[str]) -> Run:
    """Opens a result file, or the .part that a killed or running run has left.

    Raises OSError (FileNotFoundError, PermissionError, ...) and FormatError, saying what is wrong and what to try.
    """
    return Run(path)


class Run:
    """A result file, open for reading. Also a context manager."""

    path: str
    attrs: dict[str, Any]  # the root attributes: status, digest, end_ps, seed, sums... (io/RESULT_FILE.md)

    def __init__(self, path: str | os.PathLike[str], tried: bool = False):
        """`tried`: somebody has seen already that this file's texts can be read (opening.py)."""
        self.path = os.fsdecode(path)
        self._file = open_hdf5(self.path, tried)
        self._values: dict[str, Any] | None = None
        try:
            self.attrs = {name: text(value) for name, value in self.file.attrs.items()}
            self._check_root()
        except (OSError, RuntimeError, KeyError) as error:
            self.close()
            raise FormatError(
                f"'{self.path}' is damaged: its attributes cannot be read: {reason_of(error)}; take a copy that is whole"
            ) from error
        except FormatError:
            self.close()
            raise

    def _check_root(self) -> None:
        if self.attrs.get("format") != FORMAT:
            raise FormatError(f"'{self.path}' is an HDF5 file, but not a result of heddle")
        for name in ("format_version", "status", "end_ps"):
            if name not in self.attrs:
                raise FormatError(f"'{self.path}' is damaged: it has no attribute {name}; take a copy that is whole")
        expect_kinds(self.path, "/", self.attrs)
        if self.attrs["format_version"] > FORMAT_VERSION:
            raise FormatError(
                f"'{self.path}' has format version {self.attrs['format_version']}, but this reader knows {FORMAT_VERSION}; "
                "use the reader that came with the program that wrote it"
            )
        if self.attrs["status"] not in STATUSES:
            raise FormatError(
                f"'{self.path}' is damaged: its status is {self.attrs['status']!r}, none of {', '.join(STATUSES)}; take a copy "
                "that is whole"
            )

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends access to the file; attrs stay. Twice is fine."""
        self._file.close()

    @property
    def file(self) -> h5py.File:
        """The open h5py.File, for what this class does not offer. Raises ValueError after close()."""
        if not self._file:
            raise ValueError(
                f"'{self.path}' was closed, so nothing more can be read from it; read inside the `with` block, or open it again"
            )
        return self._file

    @property
    def partial(self) -> bool:
        """True while the run goes on, or when it was killed."""
        return self.attrs["status"] == "partial"

    @property
    def config(self) -> str:
        """The resolved configuration, as TOML text."""
        with reading(self.path, "/config"):
            return text(self._member("/", "config")[()])

    @property
    def picture(self) -> str:
        """The picture of the fabric, as SVG; "" where an earlier version of heddle wrote the file."""
        with reading(self.path, "/topology/picture"):
            topology = self._member("/", "topology")
            picture = text(topology["picture"][()]) if "picture" in topology else ""
            if not isinstance(picture, str):
                raise TypeError("it is no text")
            return picture

    @property
    def perf(self) -> dict[str, Any]:
        """How the run itself went: wall_s, packet_hops, packet_hops_per_s, memory_bytes, sittings."""
        with reading(self.path, "/perf"):
            attributes = {name: text(value) for name, value in self._member("/", "perf").attrs.items()}
        expect_kinds(self.path, "/perf", attributes)
        return attributes

    def missing(self) -> dict[str, str]:
        """What this file lacks: names of groups (io/RESULT_FILE.md), each with a sentence that says why and what would help.

        Of a partial file, one without series, or one whose workload has no such thing. Methods for these return empty tables, or
        raise KeyError where the file has no such group.
        """
        with reading(self.path):
            return missing_in(self)

    def phases(self) -> pd.DataFrame:
        """Wall time per phase of the run."""
        return table(self._member("perf", "phase"))

    def checkpoints(self) -> pd.DataFrame:
        """Checkpoints that the run has written: time_ps, and wall_s (NaN: it resumed from it). Empty while the run is partial."""
        with reading(self.path, "/perf"):
            if "checkpoint" not in self._member("/", "perf"):  # a file of an earlier version
                return pd.DataFrame({"time_ps": np.empty(0, dtype=np.int64), "wall_s": np.empty(0)})
        return table(self._member("perf", "checkpoint"))

    def nodes(self) -> pd.DataFrame:
        """The fabric's nodes."""
        return table(self._member("topology", "node"))

    def links(self) -> pd.DataFrame:
        """The fabric's directed links, with the names of their ends and what each did over the whole run.

        packets, sent_bytes, paused_ps, pauses, ecn_marks, egress_drops, ingress_drops, peak_queue_bytes, peak_queue_ps, qps,
        messages (io/RESULT_FILE.md, /link), `tier` ("rtsw>ctsw": which kind of link it is) and `use`: the share of the time until
        the end in which the link sent, NaN for a run that stalled. While the run is partial, only what the fabric says.
        """
        return links_of(self)

    def job_ranks(self) -> pd.DataFrame:
        """Which rank of which job is which GPU: job, rank, node, name."""
        return table(self._member("job", "rank"))

    def parameters(self) -> pd.DataFrame:
        """The resolved configuration, one row per value: key, text as written, number in base units (NaN: no number), unit."""
        return table(self._member("/", "parameter"))

    def value(self, key: str) -> bool | float | str | list | None:
        """What the run was given for `job.0.gpus`, in base units (ps, B, bit/s, B/s); None where the run has no such parameter.

        Truth values are bool, other numbers float, all else as the configuration has it; a list, where it holds several values, of
        these.
        """
        if self._values is None:
            parameters = self.parameters()
            with reading(self.path, "/parameter"):
                self._values = values_of(parameters)
        return self._values.get(key)

    def messages(self) -> pd.DataFrame:
        """Explicit messages; empty while the run is partial."""
        return table(self._member("/", "message"))

    def requests(self) -> pd.DataFrame:
        """Requests of clients to servers, of generators and of jobs for their data, and when they were answered; empty while the run is
        partial. Raises KeyError for a file of an earlier version."""
        return table(self._member("/", "request"))

    def plans(self) -> pd.DataFrame:
        """Plans of a controller whose reports and routes travel over a network: measured_ps, and from_ps, when it came into force (-1:
        never); empty while the run is partial. Raises KeyError for a file of an earlier version."""
        return table(self._member("/", "plan"))

    def collectives(self) -> pd.DataFrame:
        """Collective operations; empty while the run is partial."""
        return table(self._member("/", "collective"))

    def communicators(self) -> pd.DataFrame:
        """Which rank of which communicator is which GPU: communicator, job, group, rank, node."""
        return table(self._member("job", "communicator"))

    def iterations(self) -> pd.DataFrame:
        """Iterations of training jobs: times, and exposed communication by parallel group; empty while the run is partial."""
        return table(self._member("/", "iteration"))

    def training_checkpoints(self) -> pd.DataFrame:
        """What training jobs wrote to storage servers, by which fabric, and what steps took by it (io/RESULT_FILE.md,
        /training_checkpoint); empty while the run is partial. Raises KeyError for a file of an earlier version."""
        return table(self._member("/", "training_checkpoint"))

    def summary(self, of: Summary) -> pd.DataFrame:
        """What the run's own program made of all messages, iterations or collectives: the one definition of every mean and percentile
        (io/RESULT_FILE.md, /summary), which `heddle info`, `compare` and reports show, too.

        "message": a row per percentile; completion_at_least and ideal_at_least say where unfinished messages make it a lower bound.
        "message_kind": the same by purpose, job, fabric and class; "request": of the requests of each generator, and for each job's data
        (of files of a version before these: KeyError).
        "iteration": a row per training job. "collective": a row for all that are alike. Empty while the run is partial. Raises KeyError
        for a file of an earlier version, which has none.
        """
        if of not in SUMMARIES:
            raise ValueError(f"there is no summary of {of!r}; these are: {', '.join(SUMMARIES)}")
        if "summary" not in self.file:
            raise KeyError(f"'{self.path}' has no {NO_SUMMARY}")
        return table(self._member("summary", of))

    @property
    def event_kinds(self) -> list[str]:
        """What events() takes."""
        with reading(self.path, "/event"):
            return sorted(self.file["event"]) if "event" in self.file else []

    def events(self, kind: str) -> pd.DataFrame:
        """Events of one kind: "pfc", "drop", "failure" (of links), "completion", "gpu_time" (with output.gpu_time),
        or "tcp_window" (with output.tcp_windows)."""
        return table(self._member("event", kind))

    def series(self, quantity: str, by: By = "tier", links: Sequence[int] | None = None) -> xr.DataArray:
        """A counter over time, per kind of link (by="tier") or per link (by="link", if the run recorded it).

        int64 [time_ps, tier or link], exact; the coordinate bits_per_s is float64. queue_bytes is the depth at each
        instant; all other quantities count from the start of the run: use .diff("time_ps"). Rows are not equally spaced:
        while nothing changes, only the first and the last instant are there. Divide differences by differences of
        time_ps, or take utilisation(), which does.

        `links` (ids, in any order) takes only these with by="link", and holds no more of the others than a block of rows: 24,576
        GPUs have 100,000 links. Raises KeyError with what there is for an unknown quantity.
        """
        group = self._member("series", by)
        with reading(self.path, group.name):
            quantities = quantities_of(group)
        if quantity not in quantities:
            raise KeyError(f"'{self.path}' has no series of {quantity!r} in {group.name}; it has {', '.join(quantities)}")
        if links is not None and by != "link":
            raise ValueError(
                f"links can be chosen of a series by link, not by {by}; say series({quantity!r}, by='link', links=...)"
            )
        return read_series(self, group, quantity, by, links)

    def all_series(self, by: By = "tier", links: Sequence[int] | None = None) -> xr.Dataset:
        """All counters over time in one Dataset: queue_bytes, sent_bytes, paused_ps, ecn_marks, drops. See series()."""
        return xr.Dataset({name: self.series(name, by, links) for name in quantities_of(self._member("series", by))})

    def utilisation(self, by: By = "tier", links: Sequence[int] | None = None) -> xr.DataArray:
        """Share of the line rate that was used, per kind of link or per link: 0.97 is 97 %. float64 [time_ps, tier or link].

        The row at time_ps covers the time since the row before it (the first row: since 0), whose length is the coordinate
        interval_ps: the mean over the run is u.weighted(u.interval_ps).mean("time_ps"). Wire bytes count, with preamble and
        gap, from the moment at which a packet starts, so one short interval can be above 1 by one packet per link.
        """
        return utilisation_of(self.series("sent_bytes", by, links))

    def balance(self) -> pd.DataFrame:
        """How even the links of every kind were, one row per kind ("rtsw>ctsw"); empty while the run is partial.

        links; busiest_over_mean and jain_index of sent_bytes / bits_per_s (NaN: nothing was sent); use_p0 to use_p100, nearest
        ranks over the links; mean_qps, most_qps, mean_messages, most_messages (NaN: not known). io/RESULT_FILE.md, /link.
        """
        return balance_of(self.links())

    def histogram(self, name: str) -> xr.DataArray:
        """Counts per bin: "queue_depth", "pause_length" [tier, bin], "message_completion" or "cts_wait" [bin].

        The bins' axis holds lower edges. "pause_length" has the attributes `lacks` and `unfinished`.
        """
        with reading(self.path, f"/histogram/{name}"):
            return self._histogram(name)

    def _histogram(self, name: str) -> xr.DataArray:
        group = self._member("histogram", name)
        count = self._member(group.name, "count")
        edge = EDGES[name]
        lower_edges = xr.Variable(edge, group[edge][...], {"units": text(group[edge].attrs.get("units", ""))})
        coords: dict[str, Any] = {edge: lower_edges}
        dims: tuple[str, ...] = (edge,)
        if "tier" in group:
            coords["tier"] = values(group["tier"])
            dims = ("tier", edge)
        data = numbers(count)
        if data.shape[0] == 0:  # written at the end of the run
            data = np.zeros([len(coords[dim]) for dim in dims], dtype=np.int64)
        return xr.DataArray(
            data, dims=dims, coords=coords, name=name, attrs={key: text(value) for key, value in group.attrs.items()}
        )

    def _member(self, group: str, name: str) -> Any:
        """What has that name in a group, both as the file's documentation has them. Raises KeyError with what there is."""
        place = "/" + group.strip("/")
        with reading(self.path, f"{place.rstrip('/')}/{name}"):
            return self._known_member(place, name)

    def _known_member(self, place: str, name: str) -> Any:
        if place not in self.file:
            raise KeyError(f"'{self.path}' has no {place}, which every result has: the file is damaged or was changed")
        known = sorted(self.file[place])
        if name in known:
            return self.file[place][name]
        on_request = place in ("/event", "/series", "/histogram")
        why = missing_in(self).get(f"{place}/{name}", "") if on_request else ""
        raise KeyError(f"'{self.path}' has no {name!r} in {place}; it has {', '.join(known)}{why and '; ' + why}")

    def __repr__(self) -> str:
        return f"<heddle run '{self.path}', {self.attrs['status']}>"
