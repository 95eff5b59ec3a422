"""What the kernels of the GPU backend take, compared with their budget; and that the comparison reads and judges rightly."""

import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import budget  # noqa: E402  (found by the line above)
import figures  # noqa: E402
import occupancy  # noqa: E402
import pip_reach  # noqa: E402
import toolkit  # noqa: E402

SKIPPED = []

RESOURCES = """
 Function _ZN6heddle3runIjEEvPT_:
  REG:80 STACK:16 SHARED:1168 LOCAL:0 CONSTANT[0]:2560 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _ZN3cub11EmptyKernelEv:
  REG:4 STACK:0 SHARED:1024 LOCAL:0 CONSTANT[0]:528 TEXTURE:0 SURFACE:0 SAMPLER:0
"""
ATTRIBUTES = """
.nv.info._ZN6heddle3runIjEEvPT_
	<0x1>
	Attribute:	EIATTR_ANNOTATIONS
	Format:	EIFMT_SVAL
	Value:	SpillRefill : 	Offset : 0x160
		SpillRefill : 	Offset : 0x190
	<0x2>
	Attribute:	EIATTR_MAX_THREADS
	Format:	EIFMT_SVAL
	Value:	0x80 0x1 0x1
.nv.callgraph
		SpillRefill : 	Offset : 0x160
"""
INSTRUCTIONS = """
		Function : _ZN6heddle3runIjEEvPT_
        /*0000*/                   LDC R1, c[0x0][0x28] ;                    /* 0x00000a00ff017b82 */
                                                                             /* 0x000e300000000800 */
        /*0010*/                   LD.E R0, desc[UR6][R8.64+0x40] ;          /* 0x0000400608007981 */
        /*0020*/              @!P0 ST.E.64 desc[UR6][R8.64], R2 ;            /* 0x0000400608007981 */
        /*0030*/              @!PT ATOM.E.ADD.64.STRONG.GPU P0, RZ, desc[UR6][R24.64+0x48], R16 ; /* 0x00 */
        /*0040*/                   STL [R1], R4 ;                            /* 0x0000400608007981 */
        /*0050*/              @P1  LDL.64 R2, [R1+0x8] ;                     /* 0x0000400608007981 */
        /*0060*/                   LDG.E R0, desc[UR6][R8.64+0x40] ;         /* 0x0000400608007981 */
        /*0070*/             @UP0  REDG.E.MIN.S64.STRONG.GPU desc[UR6][R2.64], R4 ; /* 0x00 */
        /*0080*/                   ATOMS.CAST.SPIN.64 R8, [R19], R8, R10 ;   /* 0x0000000808737 */
        /*0090*/                   NOP;                                      /* 0x0000000000007918 */
"""


class CannedTools:
    def cuobjdump(self, option, file):
        return {"-res-usage": RESOURCES, "-elf": ATTRIBUTES, "-sass": INSTRUCTIONS}[option]


class Reading(unittest.TestCase):
    def test_our_kernels_are_read(self):
        kernel = figures.Kernel(80, 16, 144, spills=2, local=2, generic=2, generic_atomics=1, instructions=9, max_threads=128)
        self.assertEqual(figures.figures_of(CannedTools(), ["x.o"]), {"run<unsigned int>": kernel})

    def test_names_lose_their_parameters(self):
        self.assertEqual(figures.without_parameters("run<(Kind)1, f(int)>(View, int)"), "run<(Kind)1, f(int)>")


class Occupancy(unittest.TestCase):
    def test_follows_the_published_rules(self):
        for registers, threads, static_bytes, dynamic_bytes, blocks in (
            (124, 128, 144, 45088, 4),  # registers: 128 of a lane, 16 warps
            (124, 256, 144, 96896, 2),
            (80, 128, 144, 0, 6),  # 24 warps of 4 partitions, 6 each
            (80, 128, 144, 45088, 5),  # shared memory
            (32, 128, 0, 0, 16),  # warps
            (32, 32, 0, 0, 32),  # blocks
            (255, 1024, 0, 0, 0),  # cannot be launched
        ):
            with self.subTest(registers=registers, threads=threads, dynamic_bytes=dynamic_bytes):
                self.assertEqual(occupancy.resident_blocks(registers, threads, static_bytes, dynamic_bytes), blocks)


class Judging(unittest.TestCase):
    LAUNCHES = [["run", "64", "1000"], ["run", "128", "60000"]]

    def figures(self, **changes):
        kernel = figures.Kernel(**{**dict(registers=80, spills=20, generic=100, instructions=1000, max_threads=128), **changes})
        return budget.all_figures({"run": kernel}, self.LAUNCHES)

    def complaints(self, **changes):
        return budget.complaints(self.figures(**changes), budget.budget_of(self.figures()))

    def test_a_little_more_or_less_is_let_pass(self):
        self.assertEqual(self.complaints(), [])
        self.assertEqual(self.complaints(generic=105, instructions=1050, registers=76), [])

    def test_too_much_is_named(self):
        (said,) = self.complaints(generic=106)
        self.assertIn("run: generic is 106, budget 105.", said)
        self.assertIn(budget.COMMAND, said)
        (said,) = self.complaints(spills=22)
        self.assertIn("spills is 22, budget 21", said)

    def test_fewer_resident_blocks_are_too_few(self):
        said = self.complaints(registers=128)
        self.assertEqual([line.split(" is ")[0] for line in said], ["run: registers", "run: resident blocks, 64 threads, 1000 B"])

    def test_far_less_is_kept(self):
        (said,) = self.complaints(generic=0)
        self.assertIn("far better than its budget of 105", said)

    def test_what_is_new_or_gone_is_named(self):
        written = budget.budget_of(self.figures())
        written["gone", "registers"] = 10
        del written["run", "registers"]
        said = "\n".join(budget.complaints(self.figures(), written))
        self.assertIn("gone: registers has a budget, but is there no more", said)
        self.assertIn("run: registers is 80 and has no budget", said)

    def test_a_launch_that_cannot_be_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no kernel is called run"):
            budget.all_figures({"other": figures.Kernel()}, self.LAUNCHES)
        with self.assertRaisesRegex(ValueError, "at most 64 threads, not 128"):
            self.figures(max_threads=64)


class OfThisTree(unittest.TestCase):
    def skip(self, why):
        SKIPPED.append(why)
        self.skipTest(why)

    def test_the_kernels_are_within_their_budget(self):
        compiler = toolkit.nvcc()
        if compiler is None:
            self.skip("there is no nvcc, so what the kernels take on a GPU was not compared with its budget")
        release, written = budget.read_budget()
        if toolkit.version_of(compiler) != release:
            self.skip(f"the kernels' budget is of nvcc {release}, and this is {toolkit.version_of(compiler)}")
        try:
            measured = budget.measure()
        except subprocess.CalledProcessError as error:
            said = f"{error.stdout}{error.stderr}"
            if "pip" in str(error.cmd) and pip_reach.is_out_of_reach(said):
                self.skip(f"pip reaches no cuobjdump: {said.strip().splitlines()[-1]}")
            raise AssertionError(f"{error}\n{said}") from error
        said = budget.complaints(measured, written)
        self.assertEqual(said, [], "\n" + "\n".join(said))


if __name__ == "__main__":
    passed = unittest.main(exit=False).result.wasSuccessful()
    if passed and SKIPPED:
        print(f"skipped in part: {SKIPPED[0]}")
    sys.exit(not passed)
