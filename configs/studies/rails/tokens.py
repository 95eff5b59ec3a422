"""Draws which tokens of 64 ranks go to which GPUs, and writes them for an all-to-all-v: FOLDER/ROUTING_GROUP_KIND.txt.

    tokens.py FOLDER TOKENS GROUPS

The gate is that of DeepEP's benchmark (tests/legacy/test_internode.py): 8 of 256 experts, those of the highest scores on the 4
servers with the highest ones; a GPU gets a token once. `even`: all experts are as popular. `skewed`: eight neighbours are as popular
as a rank of ../../experts_matrix.txt."""

import pathlib
import sys

import numpy

RANKS, SERVERS, EXPERTS, TOP_K, TOP_SERVERS = 64, 8, 256, 8, 4
TOKEN_BYTES = {"dispatch": 7168 + 7168 // 128 * 4, "combine": 7168 * 2}  # FP8 with scales; BF16


def tokens_between(popularity, tokens, draw):
    """[from, to] tokens. Scores are Gumbel's, so an expert comes first as often as it is popular."""
    counts = []
    for _ in range(RANKS):
        scores = numpy.log(popularity) + draw.gumbel(size=(tokens, EXPERTS))
        of_servers = scores.reshape(tokens, SERVERS, -1)
        best = of_servers.max(2)
        of_servers[best < numpy.sort(best, axis=1)[:, [-TOP_SERVERS]]] = -numpy.inf
        experts = numpy.argpartition(scores, -TOP_K, axis=1)[:, -TOP_K:]
        goes = numpy.zeros((tokens, RANKS), dtype=numpy.int64)
        numpy.put_along_axis(goes, experts // (EXPERTS // RANKS), 1, axis=1)
        counts.append(goes.sum(0))
    return numpy.array(counts)


def main(folder, tokens, groups):
    folder.mkdir(parents=True, exist_ok=True)
    received = numpy.loadtxt(pathlib.Path(__file__).parent.parent.parent / "experts_matrix.txt").sum(0)
    skewed = numpy.repeat(received / received.mean(), EXPERTS // len(received))
    for routing, popularity in {"even": numpy.ones(EXPERTS), "skewed": skewed}.items():
        for group in range(groups):
            sent = tokens_between(popularity, tokens, numpy.random.default_rng(group))
            numpy.fill_diagonal(sent, 0)  # what stays on a GPU
            for kind, matrix in {"dispatch": sent, "combine": sent.T}.items():
                numpy.savetxt(folder / f"{routing}_{group}_{kind}.txt", matrix * TOKEN_BYTES[kind], fmt="%d")


main(pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
