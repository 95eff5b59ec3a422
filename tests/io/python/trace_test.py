"""heddle trace: what it writes is the Trace Event Format, its slices sum to the collectives' times, and its size is bounded."""

import collections
import functools
import gzip
import json
import os
import shutil
import unittest
from unittest import mock

import h5py
import heddle
import numpy as np
import small_plans
import small_requests
import small_runs
from heddle.figures import FIGURES
from heddle.trace import Choice, write_trace
from heddle.trace.choice import time_ps
from heddle.trace.links import MAX_POINTS, kept_rows, thinned_changes
from heddle.trace.window import Window
from heddle.trace.writer import Lanes, TraceWriter
from helpers import InAFolder, said

# What the format wants of every kind of event: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
NEEDED = {
    "X": {"name", "cat", "ts", "dur", "pid", "tid"},
    "C": {"name", "ts", "pid", "args"},
    "i": {"name", "ts", "pid", "tid", "s", "cat"},
    "M": {"name", "pid", "args"},
}


def ns(microseconds):
    return round(microseconds * 1000)


class Traces(InAFolder):
    def trace(self, result, **choice):
        path = self.folder / "t.json.gz"
        self.said = write_trace(result, path, Choice(**choice), force=True)
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return json.load(file)

    def slices(self, trace, category, phase="X"):
        return [event for event in trace["traceEvents"] if event["ph"] == phase and event["cat"] == category]

    def counter(self, trace, name):
        """[(time, values)] of a counter."""
        return [(event["ts"], event["args"]) for event in trace["traceEvents"] if event["ph"] == "C" and event["name"] == name]

    def check(self, trace):
        """The rules of the format, and those of viewers: slices of one thread nest, all is named, times are whole nanoseconds."""
        threads, names = collections.defaultdict(list), {"process": set(), "thread": set()}
        for event in trace["traceEvents"]:
            self.assertLessEqual(NEEDED[event["ph"]], set(event), event)
            if event["ph"] == "M":
                if event["name"].endswith("_name"):
                    names[event["name"][:-5]].add((event["pid"], event["tid"]) if event["name"] == "thread_name" else event["pid"])
                    self.assertIsInstance(event["args"]["name"], str)
                continue
            self.assertGreaterEqual(event["ts"], 0)
            self.assertAlmostEqual(event["ts"] * 1000, ns(event["ts"]), places=3)
            if event["ph"] == "C":
                self.assertTrue(all(isinstance(value, (int, float)) for value in event["args"].values()))
            if event["ph"] == "X":
                threads[event["pid"], event["tid"]].append((ns(event["ts"]), ns(event["ts"]) + ns(event["dur"])))
            if event["ph"] in "Xi":
                self.assertIn((event["pid"], event["tid"]), names["thread"])
            self.assertIn(event["pid"], names["process"])
        for thread, spans in threads.items():
            for (_, end), (begin, _) in zip(sorted(spans), sorted(spans)[1:]):
                self.assertLessEqual(end, begin, f"slices of {thread} overlap")


class ACollective(Traces):
    def test_slices_sum_to_the_times(self):
        trace = self.trace(small_runs.zone())
        self.check(trace)
        with h5py.File(small_runs.zone(), "r") as file:
            group = file["collective"]
            start, finish = (group[name][...].astype(np.int64) for name in ("start_ps", "finish_ps"))
        slices = sorted(self.slices(trace, "collective"), key=lambda event: event["args"]["id"])
        self.assertEqual([event["args"]["time_ps"] for event in slices], (finish - start).tolist(), "exact, in the arguments")
        self.assertEqual(
            [ns(event["dur"]) for event in slices], (finish // 1000 - start // 1000).tolist(), "the slices, in whole nanoseconds"
        )
        self.assertEqual([ns(event["ts"]) for event in slices], (start // 1000).tolist())

    def test_every_rank_has_its_part(self):
        trace = self.trace(small_runs.zone(), gpus="3,10-12")
        with heddle.open(small_runs.zone()) as run:
            events, collectives, nodes = run.events("completion"), run.collectives(), run.nodes()
        slices = self.slices(trace, "rank")
        self.assertEqual(len(slices), 4 * len(collectives))
        for node in (3, 10, 11, 12):
            mine = events[events["node"] == node]
            entered = mine[mine["kind"] == "rank_entered"].set_index("id")["time_ps"]
            finished = mine[mine["kind"] == "rank_finished"].set_index("id")["time_ps"]
            of_node = {event["args"]["id"]: event for event in slices if event["pid"] == 1000 + node}
            self.assertEqual({ident: event["args"]["time_ps"] for ident, event in of_node.items()}, (finished - entered).to_dict())
        processes = {event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"}
        self.assertLessEqual({nodes["name"][node] for node in (3, 10, 11, 12)}, processes)
        self.assertNotIn("gpu0", processes)

    def test_a_window_cuts(self):
        with heddle.open(small_runs.zone()) as run:
            third = run.collectives().loc[2]
        begin, end = int(third["start_ps"]) + 5_000, int(third["finish_ps"]) - 7_000
        trace = self.trace(small_runs.zone(), from_ps=begin, until_ps=end)
        self.check(trace)
        for event in trace["traceEvents"]:
            if event["ph"] != "M":
                self.assertGreaterEqual(ns(event["ts"]), begin // 1000)
                self.assertLessEqual(ns(event["ts"]) + ns(event.get("dur", 0)), end // 1000)
        whole = next(event for event in self.slices(trace, "collective") if event["args"]["id"] == third["id"])
        self.assertEqual((ns(whole["ts"]), ns(whole["dur"])), (begin // 1000, end // 1000 - begin // 1000))
        self.assertEqual(whole["args"]["time_ps"], third["finish_ps"] - third["start_ps"], "the whole time stays in the arguments")


class OtherWorkloads(Traces):
    def test_messages_pauses_and_queues(self):
        trace = self.trace(small_runs.incast(), links="1000")
        self.check(trace)
        with heddle.open(small_runs.incast()) as run:
            messages, pfc, links, queue = run.messages(), run.events("pfc"), run.links(), run.series("queue_bytes", by="link")
        sent = self.slices(trace, "message")
        self.assertEqual(
            sum(ns(event["dur"]) for event in sent), int((messages["finish_ps"] // 1000 - messages["posted_ps"] // 1000).sum())
        )
        pauses = self.slices(trace, "pause")
        self.assertEqual(len(pauses), (pfc["kind"] == "pause").sum())
        resumed = pfc.loc[pfc["kind"] == "resume", "time_ps"].sum() - pfc.loc[pfc["kind"] == "pause", "time_ps"].sum()
        self.assertEqual(sum(event["args"]["time_ps"] for event in pauses), resumed, "every pause was resumed")
        queues = [values["bytes"] for _, values in self.counter(trace, "queue rtsw0 port 0 -> gpu0")]
        deepest = links.loc[(links["src_name"] == "rtsw0") & (links["dst_name"] == "gpu0"), "link"].iloc[0]
        self.assertEqual(max(queues), queue.sel(link=deepest).max())

    def test_gpus_of_a_training_job_compute_and_wait(self):
        trace = self.trace(small_runs.training(), gpus="0-63")
        self.check(trace)
        with heddle.open(small_runs.training()) as run:
            iterations, communicators, collectives = run.iterations(), run.communicators(), run.collectives()
        gpus = iterations["gpus"].iloc[0]
        took = collections.Counter()
        for event in self.slices(trace, "compute") + self.slices(trace, "exposed"):
            took[event["name"]] += event["args"]["time_ps"]
        self.assertEqual(took["compute"], round(iterations["compute_ps"].sum() * gpus))
        for group in ("tensor", "pipeline", "data"):
            self.assertEqual(took[f"wait for {group}"], round(iterations[f"exposed_{group}_ps"].sum() * gpus), group)
        self.assertEqual(set(took), {"compute", "wait for tensor", "wait for pipeline", "wait for data"})
        parts = communicators.groupby("communicator").size().reindex(collectives["communicator"]).sum()
        self.assertEqual(len(self.slices(trace, "rank")), parts, "every rank's part of every collective")
        self.assertEqual(self.slices(trace, "group"), [])
        self.assertEqual([sentence for sentence in self.said if "gpu_time" in sentence], [])

    def test_checkpoints_are_instants(self):
        trace = self.trace(small_runs.training_with_checkpoints(), gpus="0")
        self.check(trace)
        with heddle.open(small_runs.training_with_checkpoints()) as run:
            saved = run.checkpoints()
        self.assertGreater(len(saved), 2)
        self.assertTrue((saved["wall_s"] > 0).all())
        instants = self.slices(trace, "checkpoint", "i")
        self.assertEqual([ns(event["ts"]) for event in instants], (saved["time_ps"] // 1000).tolist())
        self.assertTrue(all(event["s"] == "g" for event in instants))

    def test_a_training_job_says_what_it_cannot_know(self):
        result = small_runs.training_without_gpu_time()
        trace = self.trace(result, gpus="0,9")
        self.check(trace)
        self.assertTrue(any("output.gpu_time = true" in sentence for sentence in trace["otherData"]["does_not_hold"]))
        self.assertGreater(len(self.slices(trace, "group")), 0)
        with heddle.open(result) as run:
            iterations, collectives, members = run.iterations(), run.collectives(), run.communicators()
        self.assertEqual(
            [event["args"]["exposed_data_ps"] for event in self.slices(trace, "iteration")],
            iterations["exposed_data_ps"].astype(int).tolist(),
        )
        of_them = set(members.loc[members["node"].isin([0, 9]), "communicator"])
        mine = collectives[collectives["communicator"].isin(of_them)]
        self.assertEqual(len(self.slices(trace, "collective")), len(mine))
        self.assertEqual(
            sum(event["args"]["time_ps"] for event in self.slices(trace, "collective")),
            (mine["finish_ps"] - mine["start_ps"]).sum(),
        )

    def test_failures_are_instants(self):
        trace = self.trace(small_runs.failures())
        self.check(trace)
        failures = self.slices(trace, "failure", "i")
        instants = {event["name"]: ns(event["ts"]) for event in failures}
        self.assertEqual(instants["ctsw3: 4 cables down"], 1_000_000)
        self.assertEqual(instants["rtsw2 - ctsw7 200 Gb/s of 400 Gb/s"], 2_000_000)
        self.assertTrue(all(event["s"] == "g" for event in failures))

    def test_partial_files_and_files_without_series(self):
        for result in (small_runs.killed(), small_runs.without_series()):
            trace = self.trace(result)
            self.check(trace)
            self.assertEqual(trace["otherData"]["does_not_hold"], self.said)
        self.assertTrue(any("output.series_interval was 0" in sentence for sentence in self.said))
        self.assertIn("single pauses were not recorded (output.pfc_events = false)", self.said)
        self.assertNotIn("single losses were not recorded (output.drop_events = false)", self.said)
        self.trace(small_runs.simulate(self.folder / "no.h5", small_runs.INCAST, "output.drop_events=false"))
        self.assertIn("single losses were not recorded (output.drop_events = false)", self.said)


class RunsThatDidNotComplete(Traces):
    @staticmethod
    @functools.cache
    def run_of(name, *settings):
        return small_runs.simulate(f"{name}.h5", small_runs.TRAINING, *settings)

    def until_the_end(self, slices, end_ns):
        self.assertEqual({ns(event["ts"]) + ns(event["dur"]) for event in slices}, {end_ns})

    def check_unfinished(self, path, trace):
        """Every GPU from its last activity on, and what had begun, are drawn to the end, and counted."""
        self.check(trace)
        with heddle.open(path) as run:
            end_ns, ranks, activity = int(run.attrs["end_ps"]) // 1000, run.job_ranks()["node"], run.events("gpu_time")
            collectives, iterations = run.collectives(), run.iterations()
        slices = self.slices(trace, "unfinished")
        last = activity.groupby("node")["time_ps"].max()
        self.assertEqual(
            {event["pid"] - 1000: ns(event["ts"]) for event in slices}, {node: int(last.get(node, 0)) // 1000 for node in ranks}
        )
        self.assertEqual(len(slices), len(ranks), "one each")
        self.assertEqual({event["name"] for event in slices}, {"unfinished: computes or waits"})
        self.until_the_end(slices, end_ns)
        self.assertTrue(any(f"tracks of {len(ranks)} GPUs a slice" in sentence for sentence in self.said), self.said)
        for category, frame, what in (("collective", collectives, "start_ps"), ("iteration", iterations, "begin_ps")):
            begun = frame[frame[what] >= 0]
            going_on = begun[begun[{"start_ps": "finish_ps", "begin_ps": "end_ps"}[what]] < 0]
            drawn = self.slices(trace, category)
            self.assertEqual(len(drawn), len(begun))
            open_ones = [event for event in drawn if not event["args"]["finished"]]
            self.assertEqual(len(open_ones), len(going_on))
            self.assertGreater(len(going_on), 0)
            self.until_the_end(open_ones, end_ns)
            self.assertIn(
                f"{category}s that had begun and did not end, and are drawn to the end of the window: {len(going_on)}", self.said
            )
        open_parts = [event for event in self.slices(trace, "rank") if not event["args"]["finished"]]
        self.until_the_end(open_parts, end_ns)

    def test_before_anything_has_ended(self):
        path = self.run_of("horizon_2", "simulation.horizon=2 ms")
        self.check_unfinished(path, self.trace(path))

    def test_within_the_second_iteration(self):
        path = self.run_of("horizon_30", "simulation.horizon=30 ms")
        self.check_unfinished(path, self.trace(path))
        with heddle.open(path) as run:
            last = run.events("gpu_time").groupby("node")["time_ps"].max()
        trace = self.trace(path, until_ps=int(last.min()), gpus=str(last.idxmax()))
        self.assertEqual(self.slices(trace, "unfinished"), [], "in this window it is known what the GPU did")
        self.assertFalse(any('"unfinished"' in sentence for sentence in self.said))

    def test_a_rack_dies(self):
        path = self.run_of("rack_dies", "failure.0.node=rtsw1", "failure.0.at=8 ms", "simulation.horizon=20 ms")
        self.check_unfinished(path, self.trace(path))

    def test_a_run_that_stalled(self):
        """Such a file ends at its last completion, though other things have happened since."""
        path = self.folder / "stalled.h5"
        shutil.copy(self.run_of("horizon_30", "simulation.horizon=30 ms"), path)
        with h5py.File(path, "r+") as file:
            file.attrs["status"], file.attrs["end_ps"] = "stalled", 4_000_000_000
            last = max(file[f"{group}/time_ps"][-1] for group in ("series/tier", "event/gpu_time", "event/completion"))
        trace = self.trace(path)
        self.check(trace)
        self.assertEqual(trace["otherData"]["until_ps"], last)
        self.assertGreater(len(self.slices(trace, "unfinished")), 60)

    def test_groups_without_gpu_time(self):
        path = self.run_of("horizon_bare", "simulation.horizon=2 ms", "output.gpu_time=false")
        trace = self.trace(path)
        self.check(trace)
        groups = self.slices(trace, "group")
        open_ones = [event for event in groups if not event["args"]["finished"]]
        self.assertTrue(0 < len(open_ones) < len(groups))
        self.until_the_end(open_ones, 2_000_000)
        self.assertEqual(self.slices(trace, "unfinished"), [])

    def test_a_killed_run(self):
        long = [*small_runs.TRAINING, *small_runs.sets("job.0.training.iterations=1000")]
        with small_runs.LongRun(self.folder / "killed.h5", of=long) as run:
            pass
        trace = self.trace(run.part, gpus="3,12")
        self.check(trace)
        self.assertEqual([event["pid"] for event in self.slices(trace, "unfinished")], [1003, 1012])
        self.assertTrue(any("was killed, may not be in the file" in sentence for sentence in self.said), self.said)

    def test_a_run_that_completed_has_none(self):
        trace = self.trace(small_runs.training())
        self.assertEqual(self.slices(trace, "unfinished"), [])
        self.assertTrue(all(event["args"]["finished"] for event in self.slices(trace, "collective")))
        self.assertFalse(any("did not end" in sentence or "unfinished" in sentence for sentence in self.said))


class Bounds(Traces):
    def test_bad_choices_end_with_2(self):
        for words in (
            ("--from", "1"),
            ("--to", "x"),
            ("--gpus", "gpuX"),
            ("--links", "rtsw0>rtsw1"),
            ("--most-events", "-5"),
            ("-o", self.folder / "none" / "t.json"),
        ):
            code, _, error = said("trace", small_runs.incast(), "-o", self.folder / "t.json", *words)
            self.assertEqual(code, 2, words)
            self.assertRegex(error, "^heddle trace: ")
        self.assertEqual(os.listdir(self.folder), [])

    def test_too_many_events_are_refused(self):
        with self.assertRaisesRegex(ValueError, "more than 50 events.*choose a shorter window"):
            self.trace(small_runs.zone(), most_events=50)
        self.assertEqual(os.listdir(self.folder), [])

    def test_choices_that_are_not_there(self):
        for choice, problem in (
            ({"gpus": "64"}, "GPUs 64 are not in this fabric, which has 0 to 63"),
            ({"gpus": "gpuX"}, "there is no GPU 'gpuX'"),
            ({"links": "rtsw0>rtsw1"}, "there is no link 'rtsw0>rtsw1'"),
            ({"from_ps": 10**15}, "the window has nothing in it"),
        ):
            with self.assertRaisesRegex(ValueError, problem):
                self.trace(small_runs.zone(), **choice)

    def test_named_links(self):
        trace = self.trace(small_runs.incast(), links="rtsw0>gpu0,gpu16>rtsw1")
        threads = [event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name" and event["pid"] == 2]
        self.assertEqual(threads, ["rtsw0 port 0 -> gpu0", "gpu16 -> rtsw1"])

    def test_times(self):
        self.assertEqual([time_ps(text) for text in ("0 ps", "1.5 ms", "2us", "0.001 ns")], [0, 1_500_000_000, 2_000_000, 1])
        for text in ("1.5", "ms", "1.5 m", "0.5 ps", "-1 ms"):
            with self.assertRaises(ValueError):
                time_ps(text)

    def test_a_counter_that_changes_often_keeps_its_peaks(self):
        value = np.arange(50_000) % 977
        value[31_234] = 1_000
        when, what, thinned = thinned_changes(np.arange(50_000), value)
        self.assertTrue(thinned)
        self.assertLessEqual(len(when), MAX_POINTS)
        self.assertGreater(len(when), 0.8 * MAX_POINTS, "no coarser than need be")
        self.assertEqual(what.max(), 1_000)

    def test_what_changes_within_a_short_time_is_fine(self):
        time_ps = 10**12 + np.arange(50_000) * 10
        time_ps[0] = 0
        when, _, thinned = thinned_changes(time_ps, np.random.default_rng(1).integers(10**6, size=50_000))
        self.assertTrue(thinned)
        self.assertTrue(0.8 * MAX_POINTS < len(when) <= MAX_POINTS, len(when))
        kept = kept_rows(time_ps)
        self.assertTrue(0.8 * MAX_POINTS < len(kept) <= MAX_POINTS, len(kept))
        self.assertEqual([kept[0], kept[1], kept[-1]], [0, 1, 49_999])
        self.assertEqual(kept_rows(time_ps[:MAX_POINTS]).tolist(), list(range(MAX_POINTS)))

    def test_a_counter_is_not_held_through_a_silence(self):
        value = np.arange(1, 50_001) % 7
        value[24_999] = 0  # the row before the gap
        time_ps = np.arange(50_000) + np.where(np.arange(50_000) >= 25_000, 30_000, 0)
        when, what, thinned = thinned_changes(time_ps, value)
        self.assertTrue(thinned)
        held = what[np.searchsorted(when, 40_000, side="right") - 1]
        self.assertEqual(held, 0, "in the middle of the gap")

    def rate(self, trace, name, until_ns):
        """Its mean from the first value on, as a viewer draws it: each value holds until the next one."""
        points = [(ns(now), values["per cent"]) for now, values in self.counter(trace, name)]
        self.assertEqual(points, sorted(points, key=lambda point: point[0]))
        self.assertTrue(all(a[1] != b[1] for a, b in zip(points, points[1:])))
        when = np.array([*(now for now, _ in points), until_ns])
        return (np.diff(when) * [value for _, value in points]).sum() / (until_ns - when[0]), len(points)

    def test_rates_are_exact_means(self):
        for result, quantity, most in ((small_runs.training(), "use", 400), (small_runs.incast(), "paused", 40)):
            with heddle.open(result) as run:
                counter = run.series({"use": "sent_bytes", "paused": "paused_ps"}[quantity])
            end_ps = int(counter["time_ps"].values[-1])
            for place, tier in enumerate(counter["tier"].values):
                if not counter.values[-1, place]:
                    continue
                at_once = {"use": counter["bits_per_s"].values[place] / 8e12, "paused": counter["links"].values[place]}[quantity]
                mean = 100 * counter.values[-1, place] / (float(at_once) * end_ps)
                for bound in (most, MAX_POINTS):
                    with mock.patch("heddle.trace.links.MAX_POINTS", bound):
                        trace = self.trace(result, gpus="0", links="0")
                    got, points = self.rate(trace, f"{quantity} {tier}", end_ps // 1000)
                    self.assertAlmostEqual(got, mean, delta=1e-3 * mean + 1e-3)
                    self.assertLessEqual(points, bound)
                    self.assertEqual(any("exact means between these" in sentence for sentence in self.said), bound == most)

    def test_rates_of_a_window(self):
        with heddle.open(small_runs.training()) as run:
            use = run.utilisation()
        tier, rows = use["tier"].values[0], range(1200, 2000)
        time_ps = use["time_ps"].values
        trace = self.trace(small_runs.training(), gpus="0", links="0", from_ps=int(time_ps[1199]) + 1, until_ps=int(time_ps[1999]))
        self.check(trace)
        points = {now: values["per cent"] for now, values in self.counter(trace, f"use {tier}")}
        self.assertEqual(min(points), int(time_ps[1199] + 1) // 1000 / 1000, "what holds when the window begins")
        values = np.round(100 * use.values[rows, 0], 3)
        expected = {float((time_ps[row - 1] + (row == 1200)) // 1000 / 1000): value for row, value in zip(rows, values)}
        self.assertLessEqual(set(points), set(expected))
        held = None
        for now in sorted(expected):
            held = points.get(now, held)
            self.assertEqual(held, expected[now])

    def test_lanes(self):
        with TraceWriter(str(self.folder / "x.json"), 100, {}) as trace:
            lanes = Lanes(trace, 1, 5, "name")
            self.assertEqual([lanes.tid(*span) for span in ((0, 10), (5, 20), (10, 15), (12, 13), (20, 30))], [5, 6, 5, 7, 5])
            after = [lanes.tid(begin, begin + 10) for begin in range(30, 1_000, 10)]
            self.assertEqual(set(after), {5}, "what does not overlap stands on the first lane again")
        self.assertEqual(Window(5, 10).cut(0, 7), (5, 7))
        self.assertIsNone(Window(5, 10).cut(11, 12))

    def test_the_command(self):
        path = self.folder / "t.json"
        code, out, _ = said("trace", small_runs.zone(), "-o", path, "--to", "1 ms", "--gpus", "0-3", "--links", "0")
        self.assertEqual(code, 0)
        self.assertIn("t.json:", out)
        json.loads(path.read_text())


class Beside(Traces):
    def test_checkpoints_and_requests(self):
        trace = self.trace(small_requests.both())
        self.check(trace)
        with heddle.open(small_requests.both()) as run:
            checkpoints, requests = run.training_checkpoints(), run.requests()
        written = self.slices(trace, "written")
        self.assertEqual([event["name"] for event in written], ["checkpoint 0", "checkpoint 1"])
        self.assertEqual(
            [event["args"]["time_ps"] for event in written], (checkpoints["end_ps"] - checkpoints["begin_ps"]).tolist()
        )
        for name, rows in (("generator 0", requests[requests["job"] < 0]), ("data of job 0", requests[requests["job"] == 0])):
            points = self.counter(trace, f"requests under way: {name}")
            self.assertEqual(points[0][0], int(rows["begin_ps"].min()) // 1000 / 1000)
            self.assertEqual(points[-1][1], {"requests": 0}, "all are answered")
            most = max(values["requests"] for _, values in points)
            at_once = [((rows["begin_ps"] <= t) & (rows["end_ps"] > t)).sum() for t in rows["begin_ps"]]
            self.assertEqual(most, max(at_once))

    def test_what_the_end_of_the_run_cuts_off(self):
        trace = self.trace(small_requests.cut_off())
        self.check(trace)
        self.assertGreater(self.counter(trace, "requests under way: generator 0")[-1][1]["requests"], 0)

    def test_windows_of_tcp(self):
        trace = self.trace(small_requests.by_tcp())
        self.check(trace)
        with heddle.open(small_requests.by_tcp()) as run:
            windows = FIGURES["tcp_window"].data(run)
        name = windows["connection"].iloc[0]
        shown = [values["segments"] for _, values in self.counter(trace, name)]
        self.assertEqual(shown, windows[windows["connection"] == name]["cwnd_segments"].tolist())

    def test_plans(self):
        trace = self.trace(small_plans.planned())
        self.check(trace)
        with heddle.open(small_plans.planned()) as run:
            plans = run.plans()
        slices = self.slices(trace, "plan")
        self.assertEqual([event["args"]["time_ps"] for event in slices], (plans["from_ps"] - plans["measured_ps"]).tolist())
        late = self.trace(small_plans.slowly())
        self.check(late)
        with heddle.open(small_plans.slowly()) as run:
            never = (run.plans()["from_ps"] < 0).sum()
        self.assertGreater(never, 0)
        self.assertEqual(len(self.slices(late, "plan", "i")), never)

    def test_none_without_them(self):
        names = {
            event["args"]["name"]
            for event in self.trace(small_runs.incast())["traceEvents"]
            if event["ph"] == "M" and "name" in event["args"]
        }
        self.assertFalse(names & {"Storage", "Controller", "TCP windows"})


if __name__ == "__main__":
    unittest.main()
