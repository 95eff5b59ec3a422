"""What a result file lacks that another one has, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heddle.results.run import Run

AT_THE_END = "the run goes on, or was killed: this is written at its end"
# Group of the file -> the parameter that leaves it empty, its value then, and what to set.
SWITCHES = {
    "/event/pfc": ("output.pfc_events", False, "output.pfc_events was false, so single pauses were not recorded; set it true"),
    "/event/drop": ("output.drop_events", False, "output.drop_events was false, so single drops were not recorded; set it true"),
}
# In every file from its beginning, with no rows where nothing happened: without them silence would pass for zero.
ALWAYS = (
    "/event/pfc/time_ps",
    "/event/drop/time_ps",
    "/event/failure/time_ps",
    "/event/completion/time_ps",
    "/series/tier/time_ps",
    "/message/id",
    "/collective/id",
    "/iteration/iteration",
    "/link/link",
    "/histogram/queue_depth/count",
    "/histogram/pause_length/count",
    "/topology/node/name",
    "/topology/link/src",
)
NO_SUMMARY = "/summary, with its means and percentiles: an earlier version of heddle wrote it; run again"
NOT_WHOLE = (
    "every result has it, also one in which nothing happened: the file is damaged, or was changed; take a copy that is whole"
)


def missing_in(run: Run) -> dict[str, str]:
    """Names of groups as in io/RESULT_FILE.md ("/series/link"), each with a sentence that says why it is not there."""
    return {**_left_empty(run), **dict.fromkeys(absent_in(run), NOT_WHOLE)}


def absent_in(run: Run) -> list[str]:
    """Groups and tables that every result has and this file has not: "/event" where all of it lacks, else "/event/pfc"."""
    return list(dict.fromkeys(_first_absent(run, name) for name in ALWAYS if name not in run.file))


def _first_absent(run: Run, name: str) -> str:
    parts = name.strip("/").split("/")
    return next(path for count in range(1, len(parts) + 1) if (path := "/" + "/".join(parts[:count])) not in run.file)


def _left_empty(run: Run) -> dict[str, str]:
    lacks: dict[str, str] = {}
    if run.partial:
        for group in ("/message", "/request", "/plan", "/collective", "/iteration", "/link", "/histogram", "/perf", "/summary"):
            lacks[group] = AT_THE_END
    else:
        lacks.update(_of_the_workload(run))
        if "summary" not in run.file:
            lacks["/summary"] = f"this file has no {NO_SUMMARY}"
    if _rows(run, "/series/tier/time_ps") == 0:
        lacks["/series/tier"] = _why_no_series(run)
    if "/series/link" not in run.file:
        lacks["/series/link"] = "links were not recorded over time; set output.link_series = true"
    elif _rows(run, "/series/link/time_ps") == 0:
        lacks["/series/link"] = _why_no_series(run)
    for group, (key, value, why) in SWITCHES.items():
        if run.value(key) == value:
            lacks[group] = why
    if run.file.get("/event/gpu_time") is None and "/iteration" not in lacks:
        lacks["/event/gpu_time"] = "when single GPUs compute and wait was not recorded; set output.gpu_time = true"
    if run.file.get("/event/tcp_window") is None and _has_tcp(run):
        lacks["/event/tcp_window"] = "windows of TCP connections were not recorded; set output.tcp_windows = true"
    if "/histogram/cts_wait" not in run.file:
        lacks["/histogram/cts_wait"] = "waits for CTSs were not recorded; set output.cts_waits = true"
    return lacks


def _has_tcp(run: Run) -> bool:
    return any(run.value(f"class.{name}.transport") == "tcp" for name in ("lossless", "best_effort"))


def _of_the_workload(run: Run) -> dict[str, str]:
    lacks = {}
    if _rows(run, "/message/id") == 0:
        lacks["/message"] = "the workload has no explicit messages"
    if "request" in run.file and _rows(run, "/request/generator") == 0:
        lacks["/request"] = "the workload has no requests"
    if "plan" in run.file and _rows(run, "/plan/measured_ps") == 0:
        lacks["/plan"] = "no plans of a controller travelled over a network"
    if _rows(run, "/collective/id") == 0:
        lacks["/collective"] = "the workload has no collectives"
    if _rows(run, "/iteration/iteration") == 0:
        lacks["/iteration"] = "the workload has no training job"
    return lacks


def _why_no_series(run: Run) -> str:
    if run.attrs.get("series_interval_ps", 0) <= 0:
        return "output.series_interval was 0, so nothing was recorded over time; give an interval"
    if run.partial:
        return "the first rows come to the file when 64 instants are complete"
    return "no counter was looked at during the run"


def _rows(run: Run, dataset: str) -> int:
    return run.file[dataset].shape[0] if dataset in run.file else 0
