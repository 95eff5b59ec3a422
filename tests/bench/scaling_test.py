"""The cost model against cases worked by hand, and its bytes against a run in two ranks."""

import math
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # of MPI (tests/ranks/runs.py)

import cost_model as model
import ranks
import scaling

HEDDLE = os.environ["HEDDLE_BINARY"]
PODS = (
    "[topology]\nkind = 'multi_zone'\nzones = 4\nracks = 8\ngpus_per_rack = 4\nctsws = 4\nuplinks_per_rtsw = 4\n"
    "atsws = 4\nuplinks_per_ctsw = 4\n"
)
SHORT = ranks.LOAD.format(horizon_us=30)


def zone(racks_of):
    """A zone of 4 racks of 4 GPUs and 4 CTSWs, over ranks with so many (racks, CTSWs) and 16 cut links each."""
    shares = tuple(model.RankShare(4 * racks, racks + ctsws, 1.0, 16) for racks, ctsws in racks_of)
    return model.Fabric(1, 4, 4, 4, 4), model.Division("blocks", 1.0, 0.25, 16 * len(shares), shares)


class ByHand(unittest.TestCase):
    LOADS = {"endpoint>rtsw": 10.0, "rtsw>endpoint": 10.0, "rtsw>ctsw": 8.0, "ctsw>rtsw": 12.0}

    def test_bytes(self):
        fabric, division = zone([(2, 2), (2, 2)])
        # 32 links x 10 packets/us x 100 us x 24 B; 100 exchanges x 32 records of 8 B, e^-10 of them silent
        expected = 768_000 + 25_600 * (1 - math.exp(-10))
        self.assertAlmostEqual(model.exchanged_bytes(fabric, division, self.LOADS, 100, 100), expected, places=3)

    def test_loads(self):
        fabric, _ = zone([(2, 2), (2, 2)])
        # One us of even traffic: 12 data packets of 1,000 B and 3 control packets of 100 B on every NIC's link.
        even = model.even_loads(fabric)
        sent = {tier: links * even[tier] * 12_300 for tier, links in fabric.links().items()}
        hops = sum(links * even[tier] * 15 for tier, links in fabric.links().items())
        for tier, load in model.measured_loads(fabric, sent, hops, 1, 1000, 100).items():
            self.assertAlmostEqual(load, 15 * even[tier])

    def test_period(self):
        fabric, division = zone([(2, 2), (2, 2)])
        machine = model.Machine("", message_us=1.5, ranks_per_node=1, near=(0, 1), far=(2, 1))
        p = model.predict(machine, fabric, division, self.LOADS, 1000, 10)
        # A rank: 1,000 / 2 packet-hops of its own + 1/4 x 320 / 2 that cross = 540; sends 320 x 12 B and 16 records.
        sent_us = (160 * 24 + 16 * 8 * (1 - math.exp(-10))) / 1000  # at 1 GB/s
        self.assertAlmostEqual(p.compute_us, 540 * model.cpu_hop_ns(10 / 2, model.L3_MIB / 2) / 1000)
        self.assertEqual((p.neighbours, p.sending_us, p.reduction_us), (1, 1.5, 2))
        self.assertAlmostEqual(p.transfer_us, 2 + sent_us)
        self.assertAlmostEqual(p.best_us, p.compute_us + 1.5)
        in_one_rank = 540 * model.cpu_hop_ns(10, model.L3_MIB) / 1000
        self.assertAlmostEqual(p.worst_us, in_one_rank + 1.5 + p.transfer_us + 2)
        self.assertAlmostEqual(p.balance, 1)
        self.assertAlmostEqual(p.idle, 0)

    def test_nodes(self):
        """Six ranks that all exchange, on nodes of two; and three on one."""
        division = zone([(1, 0)] * 6)[1]
        machine = model.Machine(
            "", message_us=1.5, ranks_per_node=2, near=(1, 5), far=(3, 2), by_node=True, neighbour_us=0.1, look_us=0.25
        )
        sent = [10_000, 20_000, 30_000, 30_000, 0, 0]
        # Five neighbours, 10 kB copied twice at 5 GB/s, two ranks to look at; of the messages to two other nodes one.
        self.assertAlmostEqual(model.sending_us(machine, division, 0, sent[0]), 5 * 0.1 + 4 + 2 * 0.25 + 1.5)
        self.assertAlmostEqual(model.transfer_us(machine, sent), 3 + 60 / (2 * 2))
        self.assertAlmostEqual(model.reduction_us(machine, 6), 2 * 0.25 + 2 * 3)
        each = model.replace(machine, by_node=False)
        self.assertAlmostEqual(model.sending_us(each, division, 0, sent[0]), 5 * 1.5)
        self.assertAlmostEqual(model.transfer_us(each, sent), 3 + 30 / 2)
        self.assertAlmostEqual(model.reduction_us(each, 6), 3 * 3)
        one = model.replace(machine, ranks_per_node=6)
        self.assertAlmostEqual(model.sending_us(one, division, 0, sent[0]), 5 * 0.1 + 4 + 6 * 0.25)
        self.assertEqual(model.transfer_us(one, sent), 0)
        self.assertAlmostEqual(model.reduction_us(one, 6), 6 * 0.25)

    def test_uneven_ranks_wait(self):
        fabric, division = zone([(3, 4), (1, 0)])
        rack, ctsw, _ = model.vertex_work(fabric, self.LOADS)
        work = model.rank_work(fabric, division, self.LOADS)
        self.assertAlmostEqual(work[0] / work[1], (3 * rack + 4 * ctsw) / rack)
        self.assertAlmostEqual(sum(work), 2)
        p = model.predict(model.CLUSTER, fabric, division, self.LOADS, 1e6, 10)
        self.assertAlmostEqual(p.idle, 1 - work[1] / work[0], delta=0.01)

    def test_cache(self):
        for mib, ns in (model.SMALL, model.MIDDLE, model.LARGE):
            self.assertAlmostEqual(model.cpu_hop_ns(mib, model.L3_MIB), ns, places=6)  # what was measured is met


class OfTheProgram(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def configuration(self, topology):
        path = self.folder / "world.toml"
        path.write_text(topology + SHORT)
        return path

    def test_tiers_of_a_cut(self):
        config = self.configuration(PODS)
        fabric = model.Fabric(4, 32, 4, 16, 4, 4, 4)
        pods = scaling.divide(HEDDLE, config, 4, "blocks")  # between pods: three quarters of the links to ATSWs
        self.assertEqual(pods.cut_links, 96)
        self.assertAlmostEqual(model.cut_by_tier(fabric, pods)["ctsw-atsw"], 96, delta=2)
        each = scaling.divide(HEDDLE, config, 52, "blocks")  # every vertex by itself: all links between switches
        self.assertEqual(each.cut_links, 2 * (128 + 64))
        self.assertAlmostEqual(model.cut_by_tier(fabric, each)["ctsw-atsw"], 128, delta=5)
        model.rank_work(fabric, each, model.even_loads(fabric))  # raises where it does not find 4 ATSWs
        self.assertIsNone(scaling.divide(HEDDLE, config, 53, "blocks"))

    @unittest.skipIf(shutil.which("mpirun") is None, "mpirun is not installed")
    def test_bytes_of_two_ranks(self):
        config = self.configuration(ranks.ZONE.format(racks=4))
        scaling.run(HEDDLE, config, 1, self.folder / "one.h5", "--set", 'output.series_interval="10 us"')
        fabric, loads, _, _, simulated_us = scaling.read_run(self.folder / "one.h5")
        self.assertAlmostEqual(simulated_us, 30)
        division = scaling.divide(HEDDLE, config, 2, "metis")
        scaling.run(HEDDLE, config, 2, self.folder / "two.h5")
        sent, exchanges = scaling.measured(self.folder / "two.h5")
        told = model.exchanged_bytes(fabric, division, loads, simulated_us, simulated_us / division.period_us)
        self.assertGreater(sent, 300_000)
        self.assertAlmostEqual(told / sent, 1, delta=0.1)
        self.assertGreaterEqual(exchanges, simulated_us / division.period_us)


if __name__ == "__main__":
    unittest.main()
