"""Who paused whom: causes follow from times as described, in made-up fabrics and in a real incast whose root is known."""

import unittest
from unittest import mock

import heddle
import numpy as np
import pandas as pd
import small_runs
from heddle.figures import Missing
from heddle.figures.pause_causes import MAX_CHILDREN, MAX_ROWS, Tree, parents, pause_tree
from heddle.report import standouts
from helpers import frame_of

# A chain a - b - c - d: link 0 goes a > b, 1 b > c, 2 c > d.
SRC, DST = np.array([0, 1, 2]), np.array([1, 2, 3])


def found(events, src=SRC, dst=DST):
    """parents() of [(time, link, pause?)], all of one class."""
    time, link, pause = (np.array(column) for column in zip(*events))
    return parents(time, link, pause.astype(bool), np.zeros(len(events), dtype=int), src, dst)


class Causes(unittest.TestCase):
    def test_a_chain_leads_to_its_end(self):
        parent, share = found([(10, 2, True), (20, 1, True), (30, 0, True), (40, 2, False), (50, 1, False), (60, 0, False)])
        self.assertEqual(parent, {2: -1, 1: 2, 0: 1})
        self.assertEqual(share, {2: 1, 1: 1, 0: 1})

    def test_what_was_paused_later_is_no_cause(self):
        parent, _ = found([(10, 1, True), (20, 2, True)])
        self.assertEqual(parent, {1: -1, 2: -1}, "c paused b > c before it was paused itself")

    def test_what_was_paused_on_and_off_is_a_cause(self):
        """At the moment of the second pause link 2 goes on, but it was paused since the first."""
        parent, share = found(
            [(10, 2, True), (15, 1, True), (20, 1, False), (25, 2, False), (30, 2, True), (35, 2, False), (40, 1, True)]
        )
        self.assertEqual((parent[1], share[1]), (2, 1))

    def test_what_ended_before_the_pause_before_is_none(self):
        parent, share = found(
            [(1, 2, True), (2, 2, False), (10, 1, True), (11, 1, False), (20, 1, True), (21, 1, False), (30, 1, True)]
        )
        self.assertEqual((parent[1], share[1]), (-1, 2 / 3), "of three pauses only the first came after one of link 2")

    def test_of_several_the_one_of_max_pauses(self):
        # node 1 has egress links 1 and 3; link 0 comes in
        src, dst = np.array([0, 1, 2, 1]), np.array([1, 2, 3, 3])
        of_link_0 = [(10, 0, True), (11, 0, False), (20, 0, True), (21, 0, False), (30, 0, True)]
        events = sorted([(1, 3, True), (12, 1, True), (22, 3, False), *of_link_0])
        parent, share = found(events, src, dst)
        self.assertEqual((parent[0], share[0]), (3, 1))

    def test_classes_are_apart(self):
        time, link, pause, kind = np.array([10, 20]), np.array([2, 1]), np.array([True, True]), np.array([0, 1])
        parent, _ = parents(time, link, pause, kind, SRC, DST)
        self.assertEqual(parent, {2: -1, 1: -1})


class Root:
    def text(self, node):
        return f"node{node}"


def tree(parent, paused_ps, src, dst):
    names = [f"n{node}" for node in range(int(max(*src, *dst)) + 1)]
    links = pd.DataFrame(
        {
            "src": src,
            "dst": dst,
            "src_port": 0,
            "tier": "rtsw>ctsw",
            "src_name": [names[node] for node in src],
            "dst_name": [names[node] for node in dst],
        }
    )
    return Tree(parent, dict.fromkeys(parent, 1.0), pd.Series(1, index=list(parent)), paused_ps, links, Root())


class Rows(unittest.TestCase):
    def test_sums_and_order(self):
        rows = tree({0: 1, 1: 2, 2: -1}, {0: 5, 1: 7, 2: 11}, SRC, DST).rows()
        self.assertEqual(
            [(row[0], row[1], row[3], row[5]) for row in rows],
            [(0, "node3", 3, 23), (1, "n2 port 0 -> n3", 3, 11), (2, "n1 port 0 -> n2", 2, 7), (3, "n0 port 0 -> n1", 1, 5)],
        )

    def test_a_circle_is_cut_and_told(self):
        src, dst = np.array([0, 1, 2]), np.array([1, 2, 0])
        made = tree({0: 1, 1: 2, 2: 0}, {0: 5, 1: 9, 2: 3}, src, dst)
        rows = made.rows()
        self.assertIn("Pauses waited for each other in a circle", made.note)
        self.assertEqual((rows[0][3], rows[0][5]), (3, 17), "no link is lost")
        self.assertEqual(rows[1][2], 1, "the longest paused comes first")

    def test_many_branches_are_summed_up(self):
        count = 40
        src, dst = np.arange(1, count + 1), np.zeros(count, dtype=int)
        rows = tree(dict.fromkeys(range(count), -1), {link: link + 1 for link in range(count)}, src, dst).rows()
        self.assertEqual(len(rows), 1 + MAX_CHILDREN[0] + 1)
        self.assertEqual(rows[0][5], count * (count + 1) // 2)
        self.assertEqual(sum(row[5] for row in rows[1:]), rows[0][5])
        self.assertEqual(rows[-1][1], f"{count - MAX_CHILDREN[0]} more branches of {count - MAX_CHILDREN[0]} links")

    def test_many_roots_are_summed_up(self):
        count = 100
        src, dst = np.arange(count), np.arange(count, 2 * count)
        made = tree(dict.fromkeys(range(count), -1), {link: link + 1 for link in range(count)}, src, dst)
        rows = made.rows()
        self.assertLessEqual(len(rows), MAX_ROWS + 1)
        roots = [row for row in rows if row[0] == 0]
        self.assertEqual(sum(row[5] for row in roots), count * (count + 1) // 2, "no pause is lost")
        self.assertEqual(sum(row[3] for row in roots), count)
        self.assertRegex(roots[-1][1], r"^\d+ more root causes$")
        self.assertEqual(roots[0][5], count, "the longest first")
        self.assertEqual(made.left_roots, count - (len(roots) - 1))

    def test_what_is_summed_up_is_no_root_cause(self):
        frame = pd.DataFrame(
            {"depth": [0, 1, 0], "what": ["a", "b", "2 more root causes"], "links_below": 1, "paused_ps": [6, 6, 4]}
        )
        frame.attrs.update(roots=3, left_roots=2)
        told = standouts._pauses(mock.Mock(frames={"pause_tree": frame}))
        self.assertEqual([one.text for one in told], ["60% of all pause time has the root cause a; 1 link waited"])


class AnIncast(unittest.TestCase):
    def test_the_root_is_the_receivers_rack(self):
        with heddle.open(small_runs.incast()) as run:
            frame, links = pause_tree(run), run.links()
        roots = frame[frame["depth"] == 0]
        self.assertEqual(len(roots), 1)
        self.assertRegex(roots["what"].iloc[0], r"^rtsw0: congested towards gpu0 \(use 9\d\.\d\d %, queue to ")
        self.assertEqual(roots["paused_ps"].iloc[0], links["paused_ps"].sum(), "every pause is in the tree")
        self.assertEqual(roots["pauses"].iloc[0], links["pauses"].sum())
        self.assertEqual(roots["links_below"].iloc[0], (links["pauses"] > 0).sum())
        above = {}
        for row in frame[frame["link"] >= 0].itertuples():
            above[row.depth] = row.link
            if row.depth > 1:
                self.assertEqual(
                    links["src"][above[row.depth - 1]],
                    links["dst"][row.link],
                    "a link stands below one that leaves its destination",
                )
        self.assertLessEqual(len(frame), MAX_ROWS)

    def test_a_slow_receiver_is_named(self):
        slow = ("generator.0.fan_in=2", 'slow_receiver=[{endpoints=[0], drain_rate="50 Gb/s"}]')
        frame = frame_of("pause_tree", small_runs.simulate("slow.h5", small_runs.INCAST, *slow))
        self.assertEqual(frame["what"].iloc[0], "gpu0: a slow receiver")

    def test_without_events_it_says_what_to_set(self):
        with self.assertRaisesRegex(Missing, "output.pfc_events was false"):
            frame_of("pause_tree", small_runs.without_series())


if __name__ == "__main__":
    unittest.main()
