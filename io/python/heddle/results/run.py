"""One result file."""

import os

import numpy as np
import pandas as pd
import xarray as xr

from heddle.results.columns import numbers, table, text, values
from heddle.results.errors import FormatError
from heddle.results.opening import open_hdf5

FORMAT = "heddle-results"
FORMAT_VERSION = 1
STATUSES = "partial complete horizon stalled deadlock qp_failed error interrupted output_full".split()


def open(path):
    """Opens a result file, or the .part that a killed or running run has left.

    Raises OSError (FileNotFoundError, PermissionError, ...) and FormatError, saying what is wrong and what to try.
    """
    return Run(path)


class Run:
    """A result file, open for reading. Also a context manager."""

    def __init__(self, path):
        self.path = os.fsdecode(path)
        self._file = open_hdf5(self.path)
        try:
            self.attrs = {name: text(value) for name, value in self.file.attrs.items()}
            self._check_root()
        except (OSError, RuntimeError) as error:
            self.close()
            raise FormatError(f"'{self.path}' is damaged: its attributes cannot be read: {error}") from error
        except FormatError:
            self.close()
            raise

    def _check_root(self):
        if self.attrs.get("format") != FORMAT:
            raise FormatError(f"'{self.path}' is an HDF5 file, but not a result of heddle")
        for name in ("format_version", "status", "end_ps"):
            if name not in self.attrs:
                raise FormatError(f"'{self.path}' is damaged: it has no attribute {name}; take a copy that is whole")
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

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends access to the file; attrs stay. Twice is fine."""
        self._file.close()

    @property
    def file(self):
        """The open h5py.File, for what this class does not offer. Raises ValueError after close()."""
        if not self._file:
            raise ValueError(
                f"'{self.path}' was closed, so nothing more can be read from it; read inside the `with` block, or open it again"
            )
        return self._file

    @property
    def partial(self):
        """True while the run goes on, or when it was killed."""
        return self.attrs["status"] == "partial"

    @property
    def config(self):
        """The resolved configuration, as TOML text."""
        return text(self._member("/", "config")[()])

    @property
    def perf(self):
        """How the run itself went: wall_s, packet_hops, packet_hops_per_s, memory_bytes, sittings."""
        return {name: text(value) for name, value in self._member("/", "perf").attrs.items()}

    def phases(self):
        """Wall time per phase of the run."""
        return table(self._member("perf", "phase"))

    def nodes(self):
        """The fabric's nodes."""
        return table(self._member("topology", "node"))

    def links(self):
        """The fabric's directed links, with the names of their ends and what each did over the whole run.

        packets, sent_bytes, paused_ps, pauses, ecn_marks, egress_drops, ingress_drops, peak_queue_bytes, peak_queue_ps, qps,
        messages (io/RESULT_FILE.md, /link), and `use`: the share of the time until the end in which the link sent, NaN for a run that
        stalled. While the run is partial, only what the fabric says.
        """
        links = table(self._member("topology", "link"))
        names = values(self.file["topology/node/name"])
        units = {**links.attrs["units"], "src_name": "1", "dst_name": "1"}
        long_names = {**links.attrs["long_name"], "src_name": "name of src", "dst_name": "name of dst"}
        links["src_name"], links["dst_name"] = names[links["src"]], names[links["dst"]]
        if "link" in self.file and len(self.file["link/link"]) != 0:
            did = table(self.file["link"])
            units.update(did.attrs["units"], use="1")
            long_names.update(did.attrs["long_name"], use="share of the run's time in which it sent")
            links = links.merge(did, on="link")
            known = self.attrs["end_ps"] > 0 and self.attrs["status"] != "stalled"
            could_bytes = links["bits_per_s"] * (self.attrs["end_ps"] / 8e12)
            links["use"] = (links["sent_bytes"] / could_bytes).clip(upper=1) if known else np.nan
        links.attrs = {"units": units, "long_name": long_names}
        return links

    def job_ranks(self):
        """Which rank of which job is which GPU: job, rank, node, name."""
        return table(self._member("job", "rank"))

    def parameters(self):
        """The resolved configuration, one row per value: key, text as written, number in base units (NaN: no number), unit."""
        return table(self._member("/", "parameter"))

    def messages(self):
        """Explicit messages; empty while the run is partial."""
        return table(self._member("/", "message"))

    def collectives(self):
        """Collective operations; empty while the run is partial."""
        return table(self._member("/", "collective"))

    def communicators(self):
        """Which rank of which communicator is which GPU: communicator, job, group, rank, node."""
        return table(self._member("job", "communicator"))

    def iterations(self):
        """Iterations of training jobs: times, and what GPUs stood still for by parallel group; empty while the run is partial."""
        return table(self._member("/", "iteration"))

    def events(self, kind):
        """Events of one kind: "pfc", "drop" or "completion"."""
        return table(self._member("event", kind))

    def series(self, quantity, by="tier"):
        """A counter over time, per kind of link (by="tier") or per link (by="link", if the run recorded it).

        int64 [time_ps, tier or link], exact; the coordinate bits_per_s is float64. queue_bytes is the depth at each
        instant; all other quantities count from the start of the run: use .diff("time_ps"). Rows are not equally spaced:
        while nothing changes, only the first and the last instant are there. Divide differences by differences of
        time_ps, or take utilisation(), which does.
        """
        group = self._member("series", by)
        quantities = sorted(name for name in group if getattr(group[name], "ndim", 0) == 2)
        if quantity not in quantities:
            raise KeyError(f"'{self.path}' has no series of {quantity!r} in {group.name}; it has {', '.join(quantities)}")
        dataset = group[quantity]
        time_ps = group["time_ps"][...]
        coords = {"time_ps": time_ps, by: values(group[by])}
        if by == "tier":
            coords["links"] = (by, numbers(group["links"]))
            coords["bits_per_s"] = (by, numbers(group["bits_per_s"]))
        else:
            links, names = self.file["topology/link"], values(self.file["topology/node/name"])
            coords["src"] = (by, names[links["src"][...]])
            coords["dst"] = (by, names[links["dst"][...]])
            coords["bits_per_s"] = (by, numbers(links["bits_per_s"]))
        return xr.DataArray(
            numbers(dataset)[: len(time_ps)],
            dims=("time_ps", by),
            coords=coords,
            name=quantity,
            attrs={name: text(dataset.attrs[name]) for name in ("units", "long_name")},
        )

    def utilisation(self, by="tier"):
        """Share of the line rate that was used, per kind of link or per link: 0.97 is 97 %. float64 [time_ps, tier or link].

        The row at time_ps covers the time since the row before it (the first row: since 0), whose length is the coordinate
        interval_ps: the mean over the run is u.weighted(u.interval_ps).mean("time_ps"). Wire bytes count, with preamble and
        gap, from the moment at which a packet starts, so one short interval can be above 1 by one packet per link.
        """
        sent_bytes = self.series("sent_bytes", by)
        interval_ps = np.diff(sent_bytes["time_ps"].values, prepend=0)
        could_bytes = interval_ps[:, np.newaxis] * sent_bytes["bits_per_s"].values / 8e12
        used_bytes = np.diff(sent_bytes.values, axis=0, prepend=0)
        share = np.divide(used_bytes, could_bytes, out=np.full(could_bytes.shape, np.nan), where=could_bytes > 0)
        result = sent_bytes.copy(data=share).rename("utilisation").assign_coords(interval_ps=("time_ps", interval_ps))
        result.attrs = {"units": "1", "long_name": "share of the line rate that was used since the row before"}
        return result

    def balance(self):
        """How even the links of every kind were, one row per kind ("rtsw>ctsw"); empty while the run is partial.

        links; busiest_over_mean and jain_index of sent_bytes / bits_per_s (NaN: nothing was sent); use_p0 to use_p100, nearest
        ranks over the links; mean_qps, most_qps, mean_messages, most_messages (NaN: not known). io/RESULT_FILE.md, /link.
        """
        links, tiers = self.links(), np.asarray(values(self.file["topology/node/tier"]), dtype=object)
        if "sent_bytes" not in links:
            return pd.DataFrame()
        load = links["sent_bytes"] / links["bits_per_s"]
        kind = pd.Series(tiers[links["src"]], index=links.index) + ">" + pd.Series(tiers[links["dst"]], index=links.index)
        rows = {}
        for name, of_kind in links.groupby(kind):
            x = load[of_kind.index]
            row = {"links": len(of_kind), "busiest_over_mean": np.nan, "jain_index": np.nan}
            if x.sum() > 0:
                row["busiest_over_mean"] = x.max() / x.mean()
                row["jain_index"] = x.sum() ** 2 / (len(x) * (x**2).sum())
            for percent in (0, 10, 50, 90, 100):
                row[f"use_p{percent}"] = np.quantile(of_kind["use"], percent / 100, method="inverted_cdf")
            for what in ("qps", "messages"):
                known = what in of_kind and (of_kind[what] >= 0).all()
                row[f"mean_{what}"] = of_kind[what].mean() if known else np.nan
                row[f"most_{what}"] = of_kind[what].max() if known else np.nan
            rows[name] = row
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("kind")

    def histogram(self, name):
        """Counts per bin: "queue_depth", "pause_length" [tier, bin], "message_completion" or "cts_wait" [bin].

        The bins' axis holds lower edges. "pause_length" has the attributes `lacks` and `unfinished`.
        """
        group = self._member("histogram", name)
        count = self._member(group.name, "count")
        edge = {"queue_depth": "queue_bytes", "pause_length": "pause_ps", "message_completion": "completion_ps", "cts_wait": "wait_ps"}[name]
        coords = {edge: group[edge][...]}
        dims = (edge,)
        if "tier" in group:
            coords["tier"] = values(group["tier"])
            dims = ("tier", edge)
        data = numbers(count)
        if data.shape[0] == 0:  # written at the end of the run
            data = np.zeros([len(coords[dim]) for dim in dims], dtype=np.int64)
        return xr.DataArray(data, dims=dims, coords=coords, name=name, attrs={key: text(value) for key, value in group.attrs.items()})

    def _member(self, group, name):
        """What has that name in a group, both as the file's documentation has them. Raises KeyError with what there is."""
        place = "/" + group.strip("/")
        if place not in self.file:
            raise KeyError(f"'{self.path}' has no {place}, which every result has: the file is damaged or was changed")
        known = sorted(self.file[place])
        if name in known:
            return self.file[place][name]
        hint = "; /series/link is written on request only" if name == "link" else ""
        raise KeyError(f"'{self.path}' has no {name!r} in {place}; it has {', '.join(known)}{hint}")

    def __repr__(self):
        return f"<heddle run '{self.path}', {self.attrs['status']}>"
