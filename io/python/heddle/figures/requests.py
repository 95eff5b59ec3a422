"""How long requests took: the share of them that was answered within a time."""

from __future__ import annotations

import numpy as np
import pandas as pd

from heddle.figures.completion_ecdf import CompletionEcdf, Curve, ecdf_of, percentiles_of
from heddle.figures.figure import Missing, noted
from heddle.figures.reading import need, summary
from heddle.results import Run
from heddle.results.askers import by_asker


def requests(run: Run) -> pd.DataFrame:
    """Run.summary("request"). Raises Missing."""
    need(run, "/request")
    if "request" not in run.file or "summary/request" not in run.file:
        raise Missing("an earlier version of heddle wrote this file, without /request; run again")
    return summary(run, "request")


class RequestEcdf(CompletionEcdf):
    name = "request_ecdf"
    title = "Requests"
    about = (
        "Share of the requests that were begun of which all answers were received within a time of the first question's posting. Each "
        "generator, and each job that reads data, has a curve of its own."
    )
    column, things, ends = "time_ps", "requests", "are answered"
    time_label = "last answer received - first question posted"

    def data(self, run: Run) -> pd.DataFrame:
        summaries, rows = by_asker(requests(run)), run.requests()
        of_each = by_asker(rows)
        pieces, notes, curves = [], [], {}
        for asker, known in summaries.items():
            kind = asker.name if len(summaries) > 1 else ""
            mine = of_each[asker]
            done = mine[mine["end_ps"] >= 0]
            begun = int(known["begun"].iloc[0])
            curves[kind] = Curve(percentiles_of(known[known["time_ps"] >= 0], "time_ps", "time_at_least"), {})
            if len(done) < begun:
                notes.append(
                    f"{kind or 'Requests'}: {begun - len(done):,} of {begun:,} that were begun did not end: the curve ends below 100 %,"
                    " and percentiles that they can raise are lower bounds (>=)."
                )
            if done.empty:
                continue
            times_ps = np.sort((done["end_ps"] - done["begin_ps"]).to_numpy())
            piece = ecdf_of(times_ps, begun, self.column, "")
            notes += [f"{kind or 'Requests'}:{note}"] if (note := piece.attrs["note"]) else []
            piece.attrs = {}
            if kind:
                piece.insert(0, "kind", kind)
            pieces.append(piece)
        if not pieces:
            raise Missing(f"none of {len(rows):,} requests ended")
        frame = noted(pd.concat(pieces, ignore_index=True), *notes)
        frame.attrs["curves"] = curves
        return frame
