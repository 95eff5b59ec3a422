"""What the command line says of what has no effect, cannot be meant, or is another file than was asked for."""

import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from program import ROOT, ProgramTest  # noqa: E402  (found by the line above)

LEAVES = """[topology]
kind = "fat_tree"
[topology.fat_tree]
pods = 1
leaves = 2
gpus_per_leaf = 4
spines = 2
uplinks_per_leaf = 4
[[message]]
src = 0
dst = 7
bytes = 4096
"""
JOB = """
[topology]
kind = "ai_zone"
racks = 2
[[job]]
gpus = 32
[[job.collective]]
kind = "all_reduce"
sizes = ["1 MiB"]
"""

TORUS = """
[topology]
kind = "torus"
[topology.torus]
columns = 3
rows = 3
[[message]]
src = 0
dst = 1
bytes = 4096
"""


class KeysWithoutEffect(ProgramTest):
    def warned(self, key, why, config="star.toml"):
        for command in (["check"], ["run", "-q", "-o", "a.h5", "--force"]):
            said = self.heddle(*command, config, "--set", key)
            name = key[: key.index("=")]
            self.assertRegex(said, rf"warning: --set {re.escape(key)}: {re.escape(name)} has no effect here: .*{re.escape(why)}")

    def silent(self, *sets, config="star.toml"):
        said = self.heddle("check", config, *(word for one in sets for word in ("--set", one)))
        self.assertNotIn("has no effect", said)

    def test_of_failures(self):
        for key in ("mttr=1 us", "until=1 us"):
            self.warned(f"failures.{key}", "failures.mtbf_hours is 0")
        for key in ("cables=all", "seed=2"):
            self.warned(f"failures.{key}", "failures.dead_fraction and failures.mtbf_hours are 0")
        self.silent("failures.dead_fraction=0.5", "failures.cables=all", "failures.seed=2")
        self.warned("failures.dead_fraction=0.5", "there is no cable between switches")
        self.warned("failures.detect=2 us", "nothing fails")
        self.silent("failures.mtbf_hours=1", "failures.mttr=1 us", "failures.until=1 us", "failures.detect=2 us")

    def test_of_files_that_are_not_named(self):
        self.warned("workload.first_flows=3", "workload.flow_file names no file")
        self.warned("workload.flow_format=htsim", "workload.flow_file names no file")

    def test_of_tiers_that_are_not_there(self):
        self.warned("routing.atsw=e_ecmp", "this fabric has no ATSWs")
        self.warned("routing.ctsw=e_ecmp", "this fabric has no CTSWs")
        self.warned("buffer.ctsw.bytes=100 MB", "this fabric has no CTSWs")
        self.warned("latency.ctsw_egress=1 us", "this fabric has no CTSWs")
        self.write("job.toml", JOB)
        self.warned("routing.atsw=e_ecmp", "this fabric has no ATSWs", "job.toml")
        self.silent("routing.ctsw=e_ecmp", "buffer.ctsw.bytes=100 MB", config="job.toml")

    def test_of_leaves_and_of_zones(self):
        rules = "this fabric has leaves, spines and cores, whose keys are in [tier.NAME]"
        self.write("leaves.toml", LEAVES)
        for given in ("routing.rtsw=e_ecmp", "buffer.rtsw.bytes=100 MB", 'ecn.tiers=["rtsw"]'):
            self.warned(given, rules, "leaves.toml")
        for given in ("tier.core.policy=e_ecmp", "tier.core.buffer.bytes=9 MB", "topology.fat_tree.cores=7"):
            self.warned(given, "this fabric has no cores", "leaves.toml")
        self.silent("tier.spine.policy=e_ecmp", "tier.leaf.buffer.bytes=200 MB", config="leaves.toml")
        self.warned("tier.core.policy=e_ecmp", "this fabric is not made of leaves and spines")
        self.write("torus.toml", TORUS)
        self.warned("tier.spine.policy=e_ecmp", "this fabric has no spines", "torus.toml")
        self.silent("layer.leaf_spine.rate=800 Gb/s", "tier.leaf.policy=e_ecmp", config="torus.toml")

    def test_buffers_of_imported_tiers(self):
        said = self.heddle("check", str(ROOT / "configs" / "imports" / "htsim.toml"), "--set", "buffer.atsw.bytes=1 MB")
        self.assertNotIn("has no effect", said)

    def test_of_tiers_of_another_fabric(self):
        fabric = '[[fabric]]\nname = "x"\n[fabric.topology]\nkind = "two_tier"\n[fabric.topology.two_tier]\nleaves = 2\n'
        self.write("two.toml", self.read("star.toml") + fabric + "gpus_per_leaf = 2\nspines = 1\nuplinks_per_leaf = 1\n")
        self.warned("fabric.0.buffer.rtsw.alpha=1", "this fabric has leaves, spines and cores", "two.toml")
        self.warned("fabric.0.tier.core.policy=spray", "this fabric has no cores", "two.toml")
        self.warned("tier.leaf.policy=spray", "not made of leaves", "two.toml")
        self.silent("fabric.0.tier.leaf.policy=spray", "fabric.0.tier.leaf.buffer.alpha=1", "routing.rtsw=spray", config="two.toml")

    def test_of_protocols_policies_and_series(self):
        self.write("job.toml", JOB + '[routing]\npolicy = "adaptive"\n')
        self.warned("routing.adaptive.gap=3 us", 'routing.adaptive.per is "packet"', "job.toml")
        self.silent("routing.adaptive.per=flowlet", "routing.adaptive.gap=3 us", config="job.toml")
        self.write("slots.toml", JOB.replace("gpus = 32", 'gpus = 32\nprotocol = "ll128"'))
        self.warned("job.0.slots=2", "no collective of the job has the protocol simple", "slots.toml")
        self.silent("job.0.protocol=simple", "job.0.slots=2", config="slots.toml")
        self.warned("collective.launch_latency=1 us", "there is no [[job]]")

    def test_of_pxn_without_relays(self):
        self.write("job.toml", JOB.replace("all_reduce", "all_to_all"))
        self.silent("job.0.pxn=true", config="job.toml")
        self.write("job.toml", JOB.replace("all_reduce", "all_to_all").replace("gpus = 32", "gpus = 8"))
        self.warned("job.0.pxn=true", "no all_to_all of the job has several ranks in each of several servers", "job.toml")
        said = self.heddle("check", "star.toml", "--set", "output.series_interval=0", "--set", "output.link_series=true")
        self.assertIn("output.link_series has no effect here: output.series_interval is 0", said)

    def test_files_with_every_default_are_no_matter(self):
        self.write("all.toml", self.heddle("config", "star.toml"))
        self.silent(config="all.toml")
        self.heddle("sweep", "star.toml", "--axis", "simulation.seed=1,2", "-o", "s")
        self.silent(config="s/0.toml")


class OtherFiles(ProgramTest):
    def test_files_of_other_simulators_are_recognised(self):
        for name, text, part in (
            (
                "x.goal",
                "// a comment\nnum_ranks 2\n\nrank 0 {\n}\n",
                'GOAL schedule of LogGOPSim, which a configuration names.*format = "goal"',
            ),
            ("w.txt", "MICRO\n1\n", 'a workload of SimAI.*format = "simai"'),
            ("a.cm", "Nodes 4\nConnections 1\n", "a connection matrix of htsim.*flow_format"),
            ("c.txt", "ENABLE_QCN 1\nUSE_DYNAMIC_PFC_THRESHOLD 1\n", "HPCC's ns-3; `heddle import hpcc c.txt`"),
        ):
            self.write(name, text)
            self.assertRegex(self.heddle("run", name, code=2), part)
        self.write("bad.toml", "[topology\n")
        self.assertIn("bad.toml:1:10: not TOML", self.heddle("run", "bad.toml", code=2))

    def test_a_result_holds_its_configuration(self):
        self.heddle("run", "star.toml", "-q", "-o", "a.h5", "--set", "output.title=The first")
        said = self.heddle("config", "a.h5")
        self.assertEqual(said, self.heddle("config", "star.toml", "--set", "output.title=The first"))
        self.write("again.toml", said)
        self.heddle("run", "again.toml", "-q", "-o", "b.h5")
        digest = r"digest +(\w+)"
        self.assertEqual(*(re.search(digest, self.heddle("info", name))[1] for name in ("a.h5", "b.h5")))
        self.assertIn("seed = 7\n", self.heddle("config", "a.h5", "--set", "simulation.seed=7"))
        self.assertIn("`heddle config a.h5` prints the configuration", self.heddle("run", "a.h5", code=2))

    def test_info_shows_the_title(self):
        self.heddle("run", "star.toml", "-q", "-o", "a.h5", "--set", "output.title=The first")
        self.assertRegex(self.heddle("info", "a.h5"), r"(?m)^ +title +The first$")

    def test_a_checkpoint_that_is_not_there(self):
        self.heddle("run", "star.toml", "-q", "-o", "a.h5")
        said = self.heddle("run", "star.toml", "-q", "-o", "a.h5", "--resume", "nosuchfile", code=2)
        self.assertIn("--resume nosuchfile: there is no such checkpoint", said)


class Machines(ProgramTest):
    def test_a_program_that_is_no_python(self):
        said = self.heddle("report", "a.h5", code=2, HEDDLE_PYTHON="/bin/false")
        self.assertIn("HEDDLE_PYTHON=/bin/false: is no Python: asked to end with 76 it ended with 1", said)
        self.assertIn("a.h5", self.heddle("report", "a.h5", code=2, HEDDLE_PYTHON=sys.executable))

    def test_more_threads_than_cores(self):
        said = self.shell('taskset -c 0 "$heddle" run star.toml -q -o a.h5 --threads 64')
        self.assertIn("warning: --threads 64: this process may use 1 core", said)

    def test_a_full_disk_ends_a_sweep(self):
        self.heddle("sweep", "star.toml", "--axis", "simulation.seed=1..6", "-o", "s")
        said = self.shell('ulimit -f 8; "$heddle" sweep s --run --jobs 1', code=3)
        self.assertIn("nothing can be written to the sweep's folder any more", said)
        self.assertIn("so 5 runs are not started", said)
        self.heddle("sweep", "s", "--run")

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "AddressSanitizer reserves more address space than that")
    def test_less_address_space_than_memory(self):
        for limit_kib in (2_000_000, 16_000_000):
            self.shell(f'ulimit -v {limit_kib}; "$heddle" run star.toml -q -o a.h5 --force')
        said = self.shell('ulimit -v 2000000; "$heddle" run star.toml -q -o b.h5 --memory 4GB', code=1)
        self.assertIn("--memory SIZE must stay well below that", said)

    def test_a_controller_that_would_do_nothing_else(self):
        self.write("job.toml", JOB)
        te = ["--set", "routing.policy=traffic_engineering", "--set", "routing.traffic_engineering.demands=measured"]
        said = self.heddle("check", "job.toml", *te, "--set", "routing.traffic_engineering.period=1 ps", code=2)
        self.assertIn("routing.traffic_engineering.period: 1 ps is less than 1 us", said)


class WhatARunSays(ProgramTest):
    def test_of_packets_that_were_only_overtaken(self):
        self.write(
            "leaves.toml",
            LEAVES.replace("4096", '"1 MiB"') + '[routing]\npolicy = "spray"\n[layer.leaf_spine]\nrate = "100 Gb/s"\n',
        )
        nics = ["--set", "roce.recovery=selective_repeat", "--set", "roce.reorder_distance_packets"]
        said = self.heddle("run", "leaves.toml", "-q", "-o", "a.h5", "--force", *nics[:-1], f"{nics[-1]}=1")
        self.assertIn("roce.reorder_distance_packets = 1 is too", said)
        said = self.heddle("run", "leaves.toml", "-q", "-o", "a.h5", "--force", *nics[:-1], f"{nics[-1]}=512")
        self.assertNotIn("roce.reorder_distance_packets", said)


class LongRuns(ProgramTest):
    def test_an_unfinished_step_has_no_bandwidth(self):
        training = str(ROOT / "configs" / "training.toml")
        said = self.heddle("run", training, "--set", "simulation.horizon=20 us", "-q", "-o", "a.h5")
        self.assertNotRegex(said, r" 0 of \d+ +- +- +0\.0")
        self.assertRegex(said, r" 0 of \d+ +- +- +-\n")
        self.assertIn(f"heddle step {training} --set simulation.horizon=0 -o FOLDER", said)
        self.assertNotIn("heddle step", self.heddle("run", "star.toml", "-q", "-o", "b.h5"))


if __name__ == "__main__":
    unittest.main()
