"""Collectives by their size: bus bandwidth and time, as nccl-tests shows them; and how far apart ranks finish."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, beside, name_rows, noted
from heddle.figures.reading import need, summary
from heddle.figures.style import COLOURS, line_style
from heddle.figures.timeline import time_axis, with_marks
from heddle.figures.units import size_ticks, ticks
from heddle.results import Run
from heddle.text import counted, size_text, time_text

BY = ["job", "kind", "group", "ranks", "bytes", "algorithm", "protocol"]
SERIES = ["job", "kind", "group", "ranks"]  # what is on one line
MAX_NAMED = 14
MAX_STRAGGLERS = 20
MAX_OVER_TIME = 600
FIRST, LAST = "first rank", "last rank"  # since whose entry time and bandwidth count


def _done(run: Run) -> pd.DataFrame:
    """The rows of Run.collectives() that finished, as a copy, without the stages of others. Raises Missing."""
    need(run, "/collective")
    collectives = run.collectives()
    done = collectives[(collectives["finish_ps"] >= 0) & (collectives["group"].astype(str) != "stage")].copy()
    if done.empty:
        raise Missing(f"none of {len(collectives):,} collectives finished")
    return done


def finished(run: Run) -> pd.DataFrame:
    """Finished collectives with `since`, from_ps, time_ps and bandwidths; attrs["note"] says which time they are of.

    Raises Missing.

    Ranks of a program (a training job, a trace) come when their work lets them, so since the first rank's entry a collective would
    mostly be waiting. As `heddle run` does, its time counts from the last rank's entry. All others are as the file has them.
    """
    done = _done(run)
    driven = done["job"].isin(run.iterations()["job"]).to_numpy()
    done["since"] = np.where(driven, LAST, FIRST)
    done["from_ps"] = np.where(driven, done["last_enter_ps"], done["start_ps"])
    done["time_ps"] = done["finish_ps"] - done["from_ps"]
    done["algbw_GBps"] = np.where(driven, bandwidth_GBps(done["bytes"], done["time_ps"]), done["algbw_GBps"])
    if driven.any():
        done["busbw_GBps"] = np.where(driven, done[_transfer_column(run)], done["busbw_GBps"])
    return noted(
        done,
        (
            "Collectives of training jobs and traces: time and bandwidth since the last rank's entry, as heddle run prints them for"
            " groups."
            if driven.any()
            else ""
        ),
        "Others: as nccl-tests, since the first rank's entry." if driven.any() and not driven.all() else "",
        "" if driven.any() else "Time and bandwidth since the first rank's entry, as nccl-tests has them.",
    )


def _transfer_column(run: Run) -> str:
    need(run, "/summary")  # files without have no such column, either
    return "transfer_busbw_GBps"


def bandwidth_GBps(size_bytes: pd.Series, time_ps: pd.Series) -> np.ndarray:
    """0 where there is no time."""
    return np.divide(size_bytes * 1e3, time_ps, out=np.zeros(len(time_ps)), where=(time_ps > 0).to_numpy())


def by_size(run: Run) -> pd.DataFrame:
    """finished() ones that are alike, together: how many, mean time and bandwidth as Run.summary() has them, and the least and the
    most of single ones. Raises Missing."""
    done = finished(run)
    note = done.attrs["note"]
    means = told_means(run)
    for frame in (done, means):
        for column in ("kind", "group", "algorithm", "protocol"):
            frame[column] = frame[column].astype(str)
    spread = done.groupby(BY, sort=True).agg(
        since=("since", "first"),
        times=("id", "size"),
        least_time_ps=("time_ps", "min"),
        most_time_ps=("time_ps", "max"),
        least_busbw_GBps=("busbw_GBps", "min"),
        most_busbw_GBps=("busbw_GBps", "max"),
    )
    frame = spread.reset_index().merge(means[[*BY, "number", "time_ps", "busbw_GBps"]], on=BY, how="left")
    frame["algbw_GBps"] = bandwidth_GBps(frame["bytes"], frame["time_ps"])
    collectives = run.collectives()
    unfinished = int((collectives["finish_ps"] < 0).sum())
    return noted(
        frame, note, f"{unfinished:,} of {len(collectives):,} collectives did not finish and are not in it." if unfinished else ""
    )


def told_means(run: Run) -> pd.DataFrame:
    """Run.summary("collective") with time_ps and busbw_GBps since the last rank's entry where a program drives them."""
    means = summary(run, "collective")
    driven = means["driven"] != 0
    for told, transfer in (("time_ps", "transfer_ps"), ("busbw_GBps", "transfer_busbw_GBps")):
        means[told] = means[told].where(~driven, means[transfer])
    return means


def series_of(frame: pd.DataFrame):
    """(label, rows) of what belongs on one line: one kind of collective of one group of one job."""
    several_jobs = frame["job"].nunique() > 1
    for (job, kind, group, ranks), rows in frame.groupby(SERIES):
        words = [
            f"job {job}" if several_jobs else "",
            kind.replace("_", "-"),
            "" if group == "all" else f"({group})",
            f"{ranks} GPUs",
        ]
        yield " ".join(word for word in words if word), rows


class Busbw(Figure):
    name = "busbw"
    title = "Bus bandwidth against size"
    about = (
        "busbw of nccl-tests: what the hardware would need per link, so that sizes, kinds and numbers of GPUs can be compared. "
        "Bars go from the least to the most of alike collectives; their times are in the data."
    )
    overlay = True

    def data(self, run: Run) -> pd.DataFrame:
        frame = by_size(run)
        if frame["bytes"].nunique() == 1:
            raise Missing(
                f"all collectives that finished are of one size, {size_text(frame['bytes'].iloc[0])}: busbw_over_time shows each"
            )
        return frame

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        place = 0
        for label, frame in entries:
            for name, rows in series_of(frame):
                both = name if not label else label if frame.groupby(SERIES).ngroups == 1 else f"{label}: {name}"
                middle, least, most = (rows[f"{end}busbw_GBps"].to_numpy() for end in ("", "least_", "most_"))
                spread = np.abs([middle - least, most - middle])
                axes.errorbar(
                    rows["bytes"], middle, yerr=spread if spread.any() else None, label=both, capsize=2, **line_style(place)
                )
                place += 1
        axes.set_xscale("log", base=2)
        axes.set_xlabel("size of the collective, as nccl-tests counts it")
        axes.set_ylabel("busbw")
        size_ticks(axes.xaxis, pd.concat([frame["bytes"] for _, frame in entries]))
        axes.margins(x=0.08)
        most = max(float(frame["most_busbw_GBps"].max()) for _, frame in entries)
        axes.set_ylim(0, 1.15 * most if most > 0 else 1)
        ticks(axes.yaxis, "GB/s")
        if len(entries) == 1 and place == 1 and len(entries[0][1]) <= MAX_NAMED:
            for row in entries[0][1].itertuples():
                axes.annotate(
                    f"{row.algorithm}\n{row.protocol}",
                    (row.bytes, row.most_busbw_GBps),
                    xytext=(0, 6),
                    textcoords="offset points",
                    ha="center",
                    fontsize=6.5,
                    color="#333333",
                )

    def alt(self, frame: pd.DataFrame) -> str:
        best = frame.loc[frame["busbw_GBps"].idxmax()]
        last = frame.loc[frame["bytes"].idxmax()]
        return (
            f"Bus bandwidth of {len(frame)} kinds and sizes of collectives; in the mean of alike ones at most "
            f"{best['busbw_GBps']:.2f} GB/s ({best['kind']} of {size_text(best['bytes'])}); {last['busbw_GBps']:.2f} GB/s at the largest size, "
            f"{size_text(last['bytes'])}."
        )


class BusbwOverTime(Figure):
    name = "busbw_over_time"
    title = "Bus bandwidth of every collective"
    about = (
        "Each line goes from the entry since which its time counts to the last rank's end. Equal ones at different heights met"
        " something: another job, a failure, luck with hashes."
    )

    def data(self, run: Run) -> pd.DataFrame:
        done = finished(run)
        of_time = done.attrs["note"]
        step = -(-len(done) // MAX_OVER_TIME)
        kept = done[done.groupby(SERIES, observed=True).cumcount() % step == 0]  # of all together, some kinds would be left out
        note = f"{len(kept):,} of {len(done):,}: of each line of the legend one of every {step}." if step > 1 else ""
        columns = ["id", "job", "kind", "group", "ranks", "bytes", "from_ps", "finish_ps", "busbw_GBps"]
        frame = noted(kept[columns].reset_index(drop=True), of_time, note)
        frame.attrs["all"] = len(done), float(done["busbw_GBps"].min()), float(done["busbw_GBps"].max())
        return with_marks(frame, run)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        frame = frame.assign(kind=frame["kind"].astype(str), group=frame["group"].astype(str))
        place = 0
        for name, rows in series_of(frame):
            style = line_style(place)
            lines = axes.hlines(
                rows["busbw_GBps"],
                rows["from_ps"],
                rows["finish_ps"],
                color=style["color"],
                linestyle=style["linestyle"],
                linewidth=2.2,
                label=name,
            )
            drawing.tip(
                lines, [f"{row.kind} of {size_text(row.bytes)}, #{row.id}: {row.busbw_GBps:.2f} GB/s" for row in rows.itertuples()]
            )
            place += 1
        axes.set_ylim(0, 1.1 * float(frame["busbw_GBps"].max()))
        axes.set_ylabel("busbw")
        ticks(axes.yaxis, "GB/s")
        time_axis(axes, entries[0][1])

    def alt(self, frame: pd.DataFrame) -> str:
        count, least, most = frame.attrs["all"]
        return f"{counted(count, 'collective')} over time, with bus bandwidths from {least:.2f} to {most:.2f} GB/s."


class Stragglers(Figure):
    name = "stragglers"
    title = "Stragglers: first and last rank"
    about = (
        "From the first to the last rank that finishes, since the collective began. A long bar is time in which fast ranks "
        "wait for slow ones."
    )
    alone = True

    def data(self, run: Run) -> pd.DataFrame:
        done = _done(run)
        done["first_ps"], done["last_ps"] = done["first_rank_ps"] - done["start_ps"], done["last_rank_ps"] - done["start_ps"]
        done["spread_ps"] = done["last_ps"] - done["first_ps"]
        done["entered_ps"] = done["last_enter_ps"] - done["start_ps"]
        kept = done if len(done) <= MAX_STRAGGLERS else done.nlargest(MAX_STRAGGLERS, "spread_ps").sort_values("id")
        frame = kept[
            ["id", "job", "kind", "group", "ranks", "bytes", "entered_ps", "first_ps", "last_ps", "spread_ps"]
        ].reset_index(drop=True)
        return noted(frame, f"The {MAX_STRAGGLERS} widest of {len(done):,}." if len(done) > len(kept) else "")

    def height(self, frame: pd.DataFrame) -> float:
        return 0.9 + 0.24 * len(frame)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        rows = np.arange(len(frame))
        lines = axes.hlines(rows, frame["first_ps"], frame["last_ps"], color=COLOURS[0], linewidth=5)
        texts = [
            f"first {time_text(r.first_ps)}, last {time_text(r.last_ps)}: {time_text(r.spread_ps)} apart"
            for r in frame.itertuples()
        ]
        drawing.tip(lines, texts)
        axes.plot(frame["first_ps"], rows, "|", color="black", markersize=9)
        axes.plot(frame["last_ps"], rows, "|", color="black", markersize=9)
        for row in frame.itertuples():
            share = row.spread_ps / max(row.last_ps, 1)
            beside(axes, (row.last_ps, row.Index), f"{time_text(row.spread_ps, 3)}: {share:.0%} of it", away=6)
        names = [
            f"{r.kind.replace('_', '-')} {'' if r.group in ('all', '') else r.group + ' '}{size_text(r.bytes)}, #{r.id}"
            for r in frame.itertuples()
        ]
        name_rows(axes, names)
        axes.set_xscale(
            "log" if frame["first_ps"].min() > 0 and frame["last_ps"].max() > 30 * frame["first_ps"].min() else "linear"
        )
        axes.set_xlim((None if axes.get_xscale() == "log" else 0), 1.16 * float(frame["last_ps"].max()))
        axes.set_xlabel("time since the first rank entered")
        ticks(axes.xaxis, "ps")

    def alt(self, frame: pd.DataFrame) -> str:
        worst = frame.loc[frame["spread_ps"].idxmax()]
        return (
            f"{len(frame)} collectives; ranks finish farthest apart in {worst['kind']} of {size_text(worst['bytes'])}: "
            f"{time_text(worst['spread_ps'], 4)} of {time_text(worst['last_ps'], 4)}."
        )
