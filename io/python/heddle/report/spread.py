"""How much measures differ between combinations of the axes' values, in the mean over the seeds."""

from __future__ import annotations

from collections.abc import Sequence

from heddle.report.facts import Facts

CLASSES = (0.5, 0.1, 0.01, 0.0)  # of relative spans: what differs by more than so much

Groups = dict[tuple[str, ...], list[Facts]]


def combinations_of(runs: Sequence[Facts], keys: Sequence[str]) -> Groups:
    """The runs that came to their end by their values of `keys`; without keys each by its name."""
    groups: Groups = {}
    for run in filter(lambda run: run.over, runs):
        groups.setdefault(tuple(run.axes.get(key, "") for key in keys) if keys else (run.name,), []).append(run)
    return groups


def means_of(key: str, groups: Groups) -> dict[tuple[str, ...], float]:
    """Of those combinations of which any run has the measure."""
    means = {}
    for values, runs in groups.items():
        found = [measure.value for run in runs if (measure := run.measure(key)) is not None]
        if found:
            means[values] = sum(found) / len(found)
    return means


def relative_span(key: str, groups: Groups) -> float:
    """From the least to the most mean, over the most: 0 where all are the same."""
    means = [mean for mean in means_of(key, groups).values() if mean == mean]
    most = max(map(abs, means), default=0)
    return (max(means) - min(means)) / most if most > 0 else 0.0


def span_class(span: float) -> int:
    """The larger, the more it differs: 0 where all are the same. In one class the order of measures decides, not chance of seeds."""
    return sum(span > least for least in CLASSES)
