"""Who paused whom, and because of whom: a tree of paused links, from the congested or slow node to those that had to wait.

A switch pauses a link because what came by it cannot leave. Where one of the switch's own egress links was paused at that
moment, or since the link's pause before, that one is taken as the cause; where several were, the one that was so for most of
the link's pauses. Where none was in most of them, the node itself is the root: one of its ports is congested, or it is a slow
receiver. Times tell this, not packets: it is an inference, and the share of pauses that agree with it stands beside every link.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pandas as pd

from heddle.figures.figure import Missing, noted
from heddle.figures.reading import events, link_name, link_totals, need
from heddle.results.run import Run
from heddle.text import bytes_text, counted, share_text

MAX_EVENTS = 600_000
MAX_ROWS = 48
FEW_ROOTS = 4  # more of them have fewer branches each
MAX_CHILDREN = (8, 4, 3, 3)  # at depth 1, 2, ...; the last for all that are deeper
Changes = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # time_ps, link, whether paused, class
COLUMNS = ["depth", "what", "link", "links_below", "pauses", "paused_ps", "share"]


def pause_tree(run: Run) -> pd.DataFrame:
    """Rows of the tree in the order in which they are drawn; depth 0 are root causes. Raises Missing.

    what; link (id; -1 of roots and of rows that stand for several); links_below (links of its branch, itself included);
    pauses and paused_ps (of this link; of a root: of all links of its tree); share: of the link's pauses, in how many the link
    above it was paused (of links below a root: in how many none was). attrs: roots, and how many of them the last row of depth 0
    stands for (left_roots; 0: each has its own).
    """
    need(run, "/event/pfc")
    frame, note = events(run, "pfc", MAX_EVENTS)
    if frame.empty:
        raise Missing("no link was paused")
    links = run.links()
    paused = paused_links(frame, links, run.nodes())
    time_ps, link, is_pause, traffic_class = paused
    parent, share = parents(time_ps, link, is_pause, traffic_class, links["src"].to_numpy(), links["dst"].to_numpy())
    pauses = pd.Series(link[is_pause]).value_counts()
    tree = Tree(parent, share, pauses, paused_times(run, paused, links), links, RootCauses(run, links))
    drawn = noted(pd.DataFrame(tree.rows(), columns=COLUMNS), note, tree.note)
    drawn.attrs["roots"], drawn.attrs["left_roots"] = len(tree.roots), tree.left_roots
    return drawn


def paused_links(frame: pd.DataFrame, links: pd.DataFrame, nodes: pd.DataFrame) -> Changes:
    """(time_ps, link that is paused or resumed, whether paused, class) in the order of time; of equal times, as in the file."""
    own_egress = nodes["first_link"].to_numpy()[frame["node"]] + frame["port"].to_numpy()
    order = np.argsort(frame["time_ps"].to_numpy(), kind="stable")
    link = links["reverse"].to_numpy()[own_egress]
    return (
        frame["time_ps"].to_numpy()[order],
        link[order],
        (frame["kind"] == "pause").to_numpy()[order],
        frame["class"].to_numpy()[order],
    )


def parents(
    time_ps: np.ndarray, link: np.ndarray, is_pause: np.ndarray, traffic_class: np.ndarray, src: np.ndarray, dst: np.ndarray
) -> tuple[dict[int, int], dict[int, float]]:
    """Link -> the paused link that is taken as its cause (-1: none, a root), and link -> share of its pauses that agree."""
    active: set[tuple[int, int]] = set()
    begun: dict[tuple[int, int], int] = {}
    ended: dict[tuple[int, int], int] = {}
    ever: dict[tuple[int, int], list[int]] = defaultdict(list)  # (source node, class) -> links of it that were ever paused
    causes: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    onsets: dict[int, int] = defaultdict(int)
    alone: dict[int, int] = defaultdict(int)
    for now, this, begins, kind in zip(time_ps.tolist(), link.tolist(), is_pause.tolist(), traffic_class.tolist()):
        key = (this, kind)
        if not begins:
            active.discard(key)
            ended[key] = now
            continue
        since = begun.get(key, -1)
        found = [other for other in ever[(int(dst[this]), kind)] if (other, kind) in active or ended.get((other, kind), -2) > since]
        onsets[this] += 1
        alone[this] += not found
        for other in found:
            causes[this][other] += 1
        if key not in begun:
            ever[(int(src[this]), kind)].append(this)
        begun[key] = now
        active.add(key)
    parent, share = {}, {}
    for this, count in onsets.items():
        best = max(causes[this], key=lambda other: (causes[this][other], onsets[other], -other), default=-1)
        is_root = best < 0 or 2 * alone[this] >= count
        parent[this] = -1 if is_root else best
        share[this] = (alone[this] if is_root else causes[this][best]) / count
    return parent, share


def paused_times(run: Run, paused: Changes, links: pd.DataFrame) -> dict[int, int]:
    """Link -> time paused, ps: the file's totals where they are, else from decision to decision.

    Without totals, a pause that has not ended counts until the last of all decisions.
    """
    if "paused_ps" in links:  # also of a run that stalled, whose links have no use
        return {int(link): int(links["paused_ps"][link]) for link in np.unique(paused[1])}
    try:
        totals = link_totals(run)["paused_ps"].to_numpy()
        return {int(link): int(totals[link]) for link in np.unique(paused[1])}
    except Missing:
        pass
    since: dict[tuple[int, int], int] = {}
    total: dict[int, int] = defaultdict(int)
    for now, link, begins, kind in zip(*(column.tolist() for column in paused)):
        if begins:
            since[(link, kind)] = now
        elif (link, kind) in since:
            total[link] += now - since.pop((link, kind))
    for (link, _), begin in since.items():
        total[link] += int(paused[0][-1]) - begin
    return total


class RootCauses:
    """What is said of a node that pauses links without being paused itself."""

    def __init__(self, run: Run, links: pd.DataFrame):
        nodes = run.nodes()
        self.names, self.kinds = nodes["name"].to_numpy(), nodes["kind"].astype(str).to_numpy()
        try:
            self.totals = link_totals(run)
        except Missing:
            self.totals = None

    def text(self, node: int) -> str:
        if self.kinds[node] == "endpoint":
            return f"{self.names[node]}: a slow receiver"
        if self.totals is None:
            return f"{self.names[node]}: congested"
        mine = self.totals[self.totals["src"] == node]
        worst = mine.loc[mine["peak_queue_bytes"].idxmax()]
        return (
            f"{self.names[node]}: congested towards {worst.dst_name} (use {share_text(worst.use)}, queue to "
            f"{bytes_text(worst.peak_queue_bytes)})"
        )


class Tree:
    """Paused links below their causes, roots with the longest pauses first."""

    def __init__(
        self,
        parent: dict[int, int],
        share: dict[int, float],
        pauses: pd.Series,
        paused_ps: dict[int, int],
        links: pd.DataFrame,
        causes: RootCauses,
    ):
        self.share, self.pauses, self.paused_ps, self.links, self.causes = share, pauses, paused_ps, links, causes
        self.note, self.left_roots = "", 0
        self.children: dict[int, list[int]] = defaultdict(list)
        self.roots: dict[int, list[int]] = defaultdict(list)
        self._place(self._without_cycles(dict(parent)))

    def _without_cycles(self, parent: dict[int, int]) -> dict[int, int]:
        """Cuts every circle of causes at its longest paused link, and says so."""
        done: set[int] = set()
        for start in sorted(parent):
            path: list[int] = []
            seen: set[int] = set()
            at = start
            while at >= 0 and at not in done and at not in seen:
                seen.add(at)
                path.append(at)
                at = parent[at]
            if at >= 0 and at in seen:
                circle = path[path.index(at) :]
                cut = max(circle, key=lambda link: (self.paused_ps.get(link, 0), -link))
                parent[cut] = -1
                names = " <- ".join(link_name(self.links.loc[link]) for link in circle[:6])
                self.note = (
                    self.note + f" Pauses waited for each other in a circle, which can become a deadlock: {names}"
                    f"{' ...' if len(circle) > 6 else ''}; it is cut at the longest paused."
                ).strip()
            done.update(path)
        return parent

    def _place(self, parent: dict[int, int]) -> None:
        for link, above in parent.items():
            if above < 0:
                self.roots[int(self.links["dst"][link])].append(link)
            else:
                self.children[above].append(link)
        self.total: dict[int, tuple[int, int, int]] = {}
        for link in parent:
            if parent[link] < 0:
                self._sum(link)

    def _sum(self, top: int) -> None:
        """(links, pauses, paused_ps) of every branch, from the leaves up."""
        order, stack = [], [top]
        while stack:
            link = stack.pop()
            order.append(link)
            stack += self.children[link]
        for link in reversed(order):
            parts = [
                (1, int(self.pauses.get(link, 0)), int(self.paused_ps.get(link, 0))),
                *(self.total[child] for child in self.children[link]),
            ]
            self.total[link] = tuple(sum(column) for column in zip(*parts))

    def rows(self) -> list[tuple]:
        """Root causes with the longest pauses, each with its branches; then, in one row, what is left of them."""
        rows: list[tuple] = []
        ordered = sorted(self.roots.items(), key=lambda item: (-sum(self.total[link][2] for link in item[1]), item[0]))
        for place, (node, members) in enumerate(ordered):
            branch: list[tuple] = []
            self._branch(members, 1, branch, fewer=len(ordered) > FEW_ROOTS)
            if place > 0 and len(rows) + 1 + len(branch) > MAX_ROWS:
                left = [link for _, others in ordered[place:] for link in others]
                self.left_roots = len(ordered) - place
                rows.append((0, counted(self.left_roots, "more root cause"), -1, *self._sum_of(left), np.nan))
                break
            rows += [(0, self.causes.text(node), -1, *self._sum_of(members), np.nan), *branch[: MAX_ROWS - 1]]
            if len(branch) >= MAX_ROWS:
                self.note = f"{self.note} The first {MAX_ROWS} of {len(branch) + 1} rows.".strip()
        return rows

    def _sum_of(self, members: list[int]) -> tuple[int, int, int]:
        """(links, pauses, paused_ps) of branches."""
        links, pauses, paused_ps = (sum(column) for column in zip(*(self.total[link] for link in members)))
        return links, pauses, paused_ps

    def _branch(self, members: list[int], depth: int, rows: list[tuple], fewer: bool = False) -> None:
        most = MAX_CHILDREN[-1] if fewer else MAX_CHILDREN[min(depth, len(MAX_CHILDREN)) - 1]
        ordered = sorted(members, key=lambda link: (-self.total[link][2], link))
        shown = ordered if len(ordered) <= most + 1 else ordered[:most]
        for link in shown:
            name = link_name(self.links.loc[link])
            rows.append(
                (
                    depth,
                    name,
                    link,
                    self.total[link][0],
                    int(self.pauses.get(link, 0)),
                    int(self.paused_ps.get(link, 0)),
                    self.share[link],
                )
            )
            if depth < 12:
                self._branch(self.children[link], depth + 1, rows, fewer)
        rest = ordered[len(shown) :]
        if rest:
            total = self._sum_of(rest)
            rows.append((depth, f"{len(rest)} more branches of {total[0]} links", -1, *total, np.nan))
