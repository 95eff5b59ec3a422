"""Congestion windows of TCP connections over time."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, noted
from heddle.figures.reading import end_ps
from heddle.figures.style import line_style
from heddle.figures.units import ticks
from heddle.results import Run

MAX_CONNECTIONS = 8
MAX_POINTS = 600  # of a connection
COLUMNS = ["time_ps", "node", "qp", "cwnd_segments"]


class TcpWindow(Figure):
    name = "tcp_window"
    title = "Congestion windows of TCP"
    about = (
        "How many segments a connection may have on its way. Slow start doubles them in a round trip, avoidance adds one (CUBIC: a "
        "cubic of time), a loss or a mark takes some away, a timeout all but one."
    )
    alone = True

    def data(self, run: Run) -> pd.DataFrame:
        """Of the connections whose windows changed most: time_ps, connection ("gpu3, queue pair 7") and cwnd_segments."""
        if "tcp_window" not in run.event_kinds:
            lacks = run.missing()
            raise Missing(lacks.get("/event/tcp_window") or "nothing went by TCP")
        events = run.events("tcp_window")[COLUMNS]
        if events.empty:
            raise Missing("no window had changed when the file was written")
        names = run.nodes()["name"].astype(str)
        changes = events.groupby("qp").size().sort_values(ascending=False, kind="stable")
        pieces = [self._curve(run, events[events["qp"] == qp], names) for qp in changes.index[:MAX_CONNECTIONS]]
        note = ""
        if len(changes) > MAX_CONNECTIONS:
            note = f"Of {len(changes):,} connections the {MAX_CONNECTIONS} whose windows changed most are drawn."
        if (changes.head(MAX_CONNECTIONS) > MAX_POINTS).any():
            note += f" Of each, at most {MAX_POINTS:,} changes are drawn, evenly over time."
        return noted(pd.concat(pieces, ignore_index=True), note.strip())

    @staticmethod
    def _curve(run: Run, rows: pd.DataFrame, names: pd.Series) -> pd.DataFrame:
        """A window begins with tcp.initial_window_segments, and keeps its last value to the end."""
        node, qp = rows["node"].iloc[0], rows["qp"].iloc[0]
        step = -(-len(rows) // MAX_POINTS)
        drawn = rows.iloc[::step]
        first = int(run.value("tcp.initial_window_segments") or drawn["cwnd_segments"].iloc[0])
        return pd.DataFrame(
            {
                "time_ps": [0, *drawn["time_ps"], end_ps(run)],
                "connection": f"{names.iloc[node]}, queue pair {qp}",
                "cwnd_segments": [first, *drawn["cwnd_segments"], rows["cwnd_segments"].iloc[-1]],
            }
        )

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        for place, (name, rows) in enumerate(entries[0][1].groupby("connection", sort=False)):
            axes.step(rows["time_ps"], rows["cwnd_segments"], where="post", label=name, **{**line_style(place), "marker": None})
        axes.set_ylim(bottom=0)
        axes.set_xlabel("simulated time")
        axes.set_ylabel("window, segments")
        ticks(axes.xaxis, "ps")

    def alt(self, frame: pd.DataFrame) -> str:
        windows = frame.groupby("connection", sort=False)["cwnd_segments"].agg(["min", "max"])
        least, most = windows["min"].min(), windows["max"].max()
        return f"Windows of {len(windows)} TCP connections lie between {least:,} and {most:,} segments."
