#!/usr/bin/env python3
"""Writes chakra/step.0.et to chakra/step.7.et beside itself: a training step of 8 GPUs as MLCommons Chakra has it, to try
chakra.toml with. It needs no library: a Chakra trace is a row of protobuf messages, each behind its length.

Two layers are divided over tensor-parallel groups of 4 GPUs; pairs of both groups gather the parameters and sum their gradients. A first
node says which ranks the process groups have, as Chakra's converter takes it over from PyTorch.
"""

import json
import pathlib

LAYERS, TENSOR, DATA = 2, 4, 2
COMPUTE_US, ACTIVATION_BYTES, GRADIENT_BYTES = 300, 4 << 20, 16 << 20
METADATA_NODE, COMP_NODE, COMM_COLL_NODE, ALL_REDUCE, ALL_GATHER = 1, 4, 7, 0, 2  # numbers of et_def.proto


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([0x80 | value & 0x7F])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    if isinstance(value, bytes):
        return text(10, text(1, name) + text(29, value))  # string_val
    if isinstance(value, bool):
        return text(10, text(1, name) + number(27, value))  # bool_val
    return text(10, text(1, name) + number(9, value))  # int64_val


class Trace:
    """The nodes of a rank: what it computes, and its collectives."""

    def __init__(self):
        metadata = text(1, b"0.0.4")
        self.bytes = varint(len(metadata)) + metadata
        self.nodes = 0

    def add(self, name, kind, after, rest):
        dependences = text(5, b"".join(varint(node) for node in after)) if after else b""
        node = (
            number(1, self.nodes) + text(2, name.encode()) + number(3, kind) + dependences + rest + attribute(b"is_cpu_op", False)
        )
        self.bytes += varint(len(node)) + node
        self.nodes += 1
        return self.nodes - 1

    def process_groups(self, groups):
        values = "['" + json.dumps(groups) + "']"
        return self.add("## process_group:init ##", METADATA_NODE, [], text(8, text(1, values.encode())))

    def compute(self, name, after):
        return self.add(name, COMP_NODE, after, number(7, COMPUTE_US))

    def collective(self, kind, name, after, size, group):
        rest = attribute(b"comm_type", kind) + attribute(b"comm_size", size) + attribute(b"pg_name", str(group).encode())
        return self.add(name, COMM_COLL_NODE, after, rest)


def process_groups():
    groups = [("TENSOR_MODEL_PARALLEL_GROUP", [data * TENSOR + rank for rank in range(TENSOR)]) for data in range(DATA)]
    groups += [("DATA_PARALLEL_GROUP", [data * TENSOR + rank for data in range(DATA)]) for rank in range(TENSOR)]
    return [{"pg_name": str(1 + i), "pg_desc": what, "ranks": ranks} for i, (what, ranks) in enumerate(groups)]


def step_of(tensor_group, data_group):
    trace = Trace()
    groups = trace.process_groups(process_groups())
    before = [trace.collective(ALL_GATHER, "parameters", [groups], LAYERS * GRADIENT_BYTES // DATA, data_group)]
    for layer in range(LAYERS):
        computed = trace.compute(f"forward {layer}", before)
        before = [trace.collective(ALL_REDUCE, f"activations {layer}", [computed], ACTIVATION_BYTES, tensor_group)]
    for layer in reversed(range(LAYERS)):
        computed = trace.compute(f"backward {layer}", before)
        before = [trace.collective(ALL_REDUCE, f"input gradients {layer}", [computed], ACTIVATION_BYTES, tensor_group)]
        trace.collective(ALL_REDUCE, f"gradients {layer}", [computed], GRADIENT_BYTES, data_group)
    return trace.bytes


def main():
    folder = pathlib.Path(__file__).parent / "chakra"
    folder.mkdir(exist_ok=True)
    for rank in range(TENSOR * DATA):
        (folder / f"step.{rank}.et").write_bytes(step_of(1 + rank // TENSOR, 1 + DATA + rank % TENSOR))


if __name__ == "__main__":
    main()
