"""One Hopper GPU as the estimate takes it, and how long the work of a tick takes on it. Every number has its source; none is measured
with this program."""

from __future__ import annotations

import dataclasses
import heapq
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "budget")]

import occupancy  # noqa: E402  (found by the line above)

SMS, SCHEDULERS = 132, 4  # H100 SXM, H200: NVIDIA's data sheets; schedulers of an SM: the programming guide, 9.0
CLOCK_HZ = 1.755e9  # sustained, as the review of 2026-11-25 took it; the most is 1.98
MEMORY_BYTES_PER_S = 4.3e12  # nine tenths of an H200's 4.8 (an H100 has 3.35)
HOST_US = 1.0  # the host looks at the clock after 32 ticks; the review's estimate
LAUNCH_US = 3.5  # four kernel nodes in two grid-wide dependencies; the review's 3 to 4


@dataclasses.dataclass(frozen=True)
class Guess:
    """How fast a scheduler issues, and what a warp waits for, in cycles. Hits of the L1, shared memory, L2 and device memory: rounded
    from published microbenchmarks of Hopper (Luo and others, arXiv 2501.12084). An instruction of one warp after another: 2,
    where every other is independent; 5, where few are (a dependent one comes after 4 or more)."""

    name: str
    ipc: float  # per scheduler
    instruction: float
    shared: float
    hit: float
    miss: float
    barrier: float

    def latencies(self) -> str:
        return f"{self.instruction},{self.shared},{self.hit},{self.miss},{self.barrier}"


OPTIMISTIC = Guess("optimistic", 1.0, 2, 29, 33, 263, 20)  # loads of a basic block wait together, in the L2
PESSIMISTIC = Guess("pessimistic", 0.4, 5, 33, 41, 480, 40)  # one after the other, in device memory
GUESSES = (OPTIMISTIC, PESSIMISTIC)


@dataclasses.dataclass
class Launch:
    """A kernel's blocks in a tick, each as long as its longest chain."""

    registers: int
    threads: int
    static_bytes: int
    dynamic_bytes: int
    cycles: list[float]

    def resident(self) -> int:
        return occupancy.resident_blocks(self.registers, self.threads, self.static_bytes, self.dynamic_bytes)


def us(cycles: float) -> float:
    return cycles / CLOCK_HZ * 1e6


def issue_us(warp_instructions: float, ipc: float) -> float:
    return us(warp_instructions / (SMS * SCHEDULERS * ipc))


def memory_us(moved_bytes: float) -> float:
    return moved_bytes / MEMORY_BYTES_PER_S * 1e6


def chain_us(launches: list[Launch]) -> float:
    """Until the last block ends, as the SMs take them in the order of their launch, as many at once as fit. A block takes the share of
    an SM that it would have among its like."""
    room = [1.0] * SMS
    running: list[tuple[float, int, float]] = []  # end, SM, share
    now = 0.0
    for launch in launches:
        share = 1 / launch.resident()
        for cycles in launch.cycles:
            best = max(range(SMS), key=room.__getitem__)
            while room[best] < share - 1e-9:
                now, sm, freed = heapq.heappop(running)
                room[sm] += freed
                best = sm
            room[best] -= share
            heapq.heappush(running, (now + cycles, best, share))
    return us(max((end for end, _, _ in running), default=0))
