"""What a training job trains: tokens of a step, and the operations that a token takes."""

from __future__ import annotations

from typing import Any

from heddle.step.job import Job

# As host/scenario/workload/training/transformer.cpp has them: The Llama 3 Herd of Models, table 3; Mixtral of Experts, table 1.
DIMENSIONS = ("layers", "hidden", "ffn_hidden", "attention_heads", "kv_heads", "vocabulary", "experts", "experts_per_token")
MODELS = {
    "llama3_8b": (32, 4096, 14336, 32, 8, 128_256, 1, 1),
    "llama3_70b": (80, 8192, 28672, 64, 8, 128_256, 1, 1),
    "llama3_405b": (126, 16384, 53248, 128, 8, 128_256, 1, 1),
    "mixtral_8x7b": (32, 4096, 14336, 32, 8, 32_000, 8, 2),
    "custom": (0, 0, 0, 0, 0, 0, 1, 1),
}


def tokens_of(training: dict[str, Any], job: Job) -> int:
    """Of a step, of all replicas."""
    return job.replicas * training["micro_batches"] * training["micro_batch_size"] * training["sequence_length"]


def dimensions_of(training: dict[str, Any]) -> dict[str, int]:
    """With what is configured laid over what the model's name says."""
    known = dict(zip(DIMENSIONS, MODELS[training["model"]]))
    return {name: training[name] or known[name] for name in DIMENSIONS}


def flops_per_token(training: dict[str, Any]) -> float:
    """Forward and backward, as PaLM, appendix B, counts: 6 for every parameter that multiplies a token, and for attention 12 for every
    layer, unit of width and token that it looks at, of which causal attention has half a sequence on average. What is computed again
    counts once."""
    of = dimensions_of(training)
    width, heads = of["hidden"], of["attention_heads"]
    projections = 2 * width * width + 2 * width * (width // heads * of["kv_heads"])
    experts = 3 * width * of["ffn_hidden"] * of["experts_per_token"]
    parameters = of["layers"] * (projections + experts) + of["vocabulary"] * width
    return 6.0 * parameters + 12.0 * of["layers"] * width * training["sequence_length"] / 2
