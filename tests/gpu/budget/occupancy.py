"""How many blocks of a kernel an SM of sm_90 holds at once: the CUDA C++ Programming Guide's table of compute capabilities (9.0),
and the rounding of the toolkit's cuda_occupancy.h."""

WARPS, BLOCKS, REGISTERS, SHARED_BYTES = 64, 32, 65536, 228 * 1024
PARTITIONS = 4  # of an SM, each with its share of registers and warps
REGISTER_UNIT, SHARED_UNIT, SYSTEM_SHARED_BYTES = 256, 128, 1024  # registers of a warp; bytes of a block; the system's of a block


def up(x: int, unit: int) -> int:
    return -(-x // unit) * unit


def resident_blocks(registers: int, threads: int, static_bytes: int, dynamic_bytes: int) -> int:
    warps = up(threads, 32) // 32
    warps_of_partition = REGISTERS // PARTITIONS // up(max(registers, 1) * 32, REGISTER_UNIT)
    shared = up(static_bytes + dynamic_bytes + SYSTEM_SHARED_BYTES, SHARED_UNIT)
    return min(BLOCKS, WARPS // warps, warps_of_partition * PARTITIONS // warps, SHARED_BYTES // shared)
