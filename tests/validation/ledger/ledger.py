"""The ledger: what real clusters measured (configs/hardware/measured), beside what Heddle says of the same machines.

    HEDDLE=build/cpu/bin/heddle PYTHONPATH=io/python /usr/bin/python3 tests/validation/ledger/ledger.py --full -o build/ledger

writes ledger.md, ledger.tsv and a figure per machine there. Without --full it replays a few sizes of every table. Exit code 1: a
median or worst error, of a table's small, middle or large sizes, is worse than that of the same rows in recorded.tsv.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile

import pandas as pd
from matplotlib.figure import Figure as Canvas

import heddle
from heddle.figures.figure import WIDTH_IN, Drawing, legend_beside
from heddle.figures.style import house_style, line_style
from heddle.figures.svg import save
from heddle.figures.units import size_ticks, ticks

HARDWARE = pathlib.Path(__file__).resolve().parents[3] / "configs" / "hardware"
RECORDED = pathlib.Path(__file__).with_name("recorded.tsv")
ROW = ["table", "gpus", "collective", "size_B"]  # what names a row
TOKENS = ["dispatch", "combine"]  # size_B: the tokens of a rank; what a machine says of them decides
TIMES = ["us", "out_of_place_us", "in_place_us"]  # the least counts: the first rows hold the warm-up
BANDS = {"up to 128 KiB": 128 << 10, "256 KiB to 64 MiB": 64 << 20, "128 MiB and more": 1 << 62}
SLACK_PERCENT = 0.5  # packets that arrive at once are ordered by time, so a size depends a little on those before it
QUICK_BYTES = 32 << 30  # of all GPUs together: such a row takes a second or two


def read_table(path: pathlib.Path) -> tuple[dict[str, str], pd.DataFrame]:
    """What its '# key: value' lines say, and its rows: ROW, and measured_us or measured_GBps of busbw. Raises ValueError."""
    lines = path.read_text().splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
    columns, *rows = [line.split() for line in lines if not line.startswith("#")]
    frame = pd.DataFrame(rows, columns=columns).assign(table=path.stem)
    for name in {"gpus", "collective"} - set(columns):
        frame[name] = about[name]
    frame = frame.astype({"gpus": int, "size_B": int})
    number = frame.reindex(columns=[*TIMES, "busbw_GBps"]).apply(pd.to_numeric, errors="coerce")
    made = frame[ROW].assign(measured_us=number[TIMES].min(axis=1), measured_GBps=number.busbw_GBps)
    if missing := {"machine", "about", "library", "source", "fitted"} - set(about):
        raise ValueError(f"{path}: it does not say {sorted(missing)}")
    if (made.measured_us.isna() == made.measured_GBps.isna()).any():
        raise ValueError(f"{path}: each row needs either a time or busbw_GBps")
    return about, made


def read_tables() -> tuple[dict[str, dict[str, str]], pd.DataFrame]:
    tables = {path.stem: read_table(path) for path in sorted((HARDWARE / "measured").glob("*.txt"))}
    return {name: about for name, (about, _) in tables.items()}, pd.concat([rows for _, rows in tables.values()], ignore_index=True)


def band_of(size: int) -> str:
    return next(band for band, largest in BANDS.items() if size <= largest)


def few(rows: pd.DataFrame) -> pd.DataFrame:
    """A row of every table, collective and band: the middle one of those that do not take long, else the first."""
    quick = rows.gpus * rows.size_B <= QUICK_BYTES
    groups = rows.groupby(["table", "collective", rows.size_B.map(band_of)], sort=False)
    return pd.concat([group.iloc[[quick[group.index].sum() // 2]] for _, group in groups])


def replay(about: dict[str, str], rows: pd.DataFrame, folder: pathlib.Path, program: str | None = None) -> pd.DataFrame:
    """Rows of one table, GPU count and collective, with ours_us and error_percent; a time for each measured busbw."""
    gpus, collective = int(rows.gpus.iloc[0]), rows.collective.iloc[0]
    pairs = (word.split("=") for word in about.get("set", "").split())
    words = {"true": True, "false": False}
    changes = {key: int(value) if value.isdigit() else words.get(value, value) for key, value in pairs}
    changes |= {"topology.hosts": gpus, "job.0.gpus_per_server": min(gpus, 8), "job.0.collective.0.kind": collective}
    sized = collective not in TOKENS
    if sized:
        changes["job.0.collective.0.sizes"] = [f"{size} B" for size in rows.size_B]
    output = folder / f"{rows.table.iloc[0]}_{gpus}_{collective}.h5"
    run = heddle.run(HARDWARE / f"{about['machine']}.toml", output, changes, threads=1, program=program)
    with run:
        done = run.collectives()
    done = done[done.group == "all"]  # without stages
    if len(done) != len(rows) or (sized and list(done.bytes) != list(rows.size_B)) or (done.finish_ps < 0).any():
        raise RuntimeError(f"{output}: {run.attrs['status']}, and {len(done)} of {len(rows)} collectives are in it")
    ours_us = ((done.finish_ps - done.start_ps) / 1e6).to_numpy()
    measured_us = rows.measured_us.fillna(ours_us * done.busbw_GBps.to_numpy() / rows.measured_GBps)
    return rows[ROW].assign(measured_us=measured_us, ours_us=ours_us, error_percent=100 * (ours_us / measured_us - 1)).round(3)


def replay_all(tables: dict[str, dict[str, str]], rows: pd.DataFrame, program: str | None = None) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        parts = rows.groupby(["table", "gpus", "collective"], sort=False)
        return pd.concat(
            [replay(tables[name], part, pathlib.Path(folder), program) for (name, _, _), part in parts], ignore_index=True
        )


def bands(ledger: pd.DataFrame) -> pd.DataFrame:
    """By table, collective and band: how many sizes, the median error, that of largest magnitude, and the median magnitude."""
    errors = ledger.groupby(["table", "collective", ledger.size_B.map(band_of).rename("band")], sort=False).error_percent
    return pd.DataFrame(
        {
            "sizes": errors.size(),
            "median": errors.median(),
            "worst": errors.agg(lambda error: error.loc[error.abs().idxmax()]),
            "magnitude": errors.agg(lambda error: error.abs().median()),
        }
    )


def worse(ledger: pd.DataFrame, recorded: pd.DataFrame) -> list[str]:
    """A sentence for every band whose error is larger than that of the same rows on record."""
    both = ledger.merge(recorded, on=ROW, how="left", suffixes=("", "_recorded"))
    if both.error_percent_recorded.isna().any():
        return [f"recorded.tsv lacks rows of {', '.join(both[both.error_percent_recorded.isna()].table.unique())}; --full --record"]
    now, then = bands(ledger), bands(both[ROW].assign(error_percent=both.error_percent_recorded))
    says = []
    for name, what in (("magnitude", "median"), ("worst", "worst")):
        for place in now.index[now[name].abs() > then[name].abs() + SLACK_PERCENT]:
            says.append(f"{', '.join(place)}: {what} error {now[name][place]:.1f} %, on record {then[name][place]:.1f} %")
    return says


def draw(machine: str, ledger: pd.DataFrame, folder: pathlib.Path) -> None:
    """Time over size of the tables of a machine: measured as points, ours as lines."""
    with house_style():
        drawing = Drawing(Canvas(figsize=(WIDTH_IN, 4.2), layout="constrained"))
        axes = drawing.canvas.add_subplot()
        for place, ((table, collective), rows) in enumerate(ledger.groupby(["table", "collective"], sort=False)):
            style, label = line_style(place), f"{table} {collective}"
            axes.plot(rows.size_B, 1e6 * rows.measured_us, **{**style, "linestyle": "none"}, label=f"{label}, measured")
            marker = "+" if rows.size_B.nunique() < 2 else ""
            axes.plot(rows.size_B, 1e6 * rows.ours_us, **{**style, "marker": marker}, label=f"{label}, Heddle")
        axes.set(xscale="log", yscale="log", xlabel="size", ylabel="time", title=machine)
        size_ticks(axes.xaxis, ledger.size_B)
        ticks(axes.yaxis, "ps")
        legend_beside(axes, [axes])
        save(drawing, str(folder / f"{machine}.svg"), "svg", force=True)


def markdown(head: list[str], rows: list[list]) -> list[str]:
    return ["", *("| " + " | ".join(map(str, row)) + " |" for row in [head, ["---"] * len(head), *rows]), ""]


def page(tables: dict[str, dict[str, str]], ledger: pd.DataFrame) -> str:
    summary = bands(ledger)
    lines = [
        "# How far off Heddle is",
        "",
        "Error of time, ours / measured - 1, in %: median [worst]. One preset a machine, nothing a table.",
        "",
    ]
    lines += markdown(
        ["table", "collective", *BANDS, "fitted", "library", "about", "source"],
        [
            [
                *(name, collective),
                *(
                    f"{summary['median'][(name, collective, band)]:+.1f} [{summary['worst'][(name, collective, band)]:+.1f}]"
                    if (name, collective, band) in summary.index
                    else ""
                    for band in BANDS
                ),
                *(tables[name][key] for key in ("fitted", "library", "about", "source")),
            ]
            for name, collective in ledger[["table", "collective"]].drop_duplicates().itertuples(index=False)
        ],
    )
    for machine in dict.fromkeys(tables[name]["machine"] for name in ledger.table):
        rows = ledger[ledger.table.map(lambda name, machine=machine: tables[name]["machine"] == machine)]
        lines += [f"## {machine}", "", f"![Measured and simulated time over size]({machine}.svg)"]
        lines += markdown(
            ["table", "GPUs", "collective", "size, B", "measured, us", "ours, us", "error, %"],
            [[*row[:4], f"{row[4]:.1f}", f"{row[5]:.1f}", f"{row[6]:+.1f}"] for row in rows.itertuples(index=False)],
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="replay every row")
    parser.add_argument("-o", dest="folder", type=pathlib.Path, help="where to write the page, its table and its figures")
    parser.add_argument("--record", action="store_true", help="with --full: put the errors into recorded.tsv")
    parser.add_argument("--only", help="one table by name")
    parser.add_argument("--program", help="which heddle")
    options = parser.parse_args(arguments)
    if options.record and (not options.full or options.only):
        parser.error("--record needs --full and every table")
    tables, rows = read_tables()
    rows = rows if options.only is None else rows[rows.table == options.only]
    ledger = replay_all(tables, rows if options.full else few(rows), options.program)
    print(bands(ledger).drop(columns="magnitude").to_string(float_format="{:+.1f}".format))
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        ledger.to_csv(options.folder / "ledger.tsv", sep="\t", index=False)
        (options.folder / "ledger.md").write_text(page(tables, ledger))
        for machine, part in ledger.groupby(ledger.table.map(lambda name: tables[name]["machine"]), sort=False):
            draw(machine, part, options.folder)
    if options.record:
        ledger.to_csv(RECORDED, sep="\t", index=False)
    says = worse(ledger, pd.read_csv(RECORDED, sep="\t"))
    print("\n".join(says) or f"no error is worse than on record ({len(ledger)} rows)")
    return 1 if says else 0


if __name__ == "__main__":
    sys.exit(main())
