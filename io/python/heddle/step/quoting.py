"""What people quote of a step: tokens/s, MFU, GPU-hours, energy and cost, and how much of them waits for communication."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heddle.step.job import Job
from heddle.step.model import flops_per_token, tokens_of
from heddle.step.reading import GROUPS
from heddle.text import table_text

H100_TFLOPS = 989.5  # NVIDIA H100 data sheet: SXM, BF16, dense
H100_W = 700.0  # the same: thermal design power of the SXM module
PER_TOKENS = 10**12
MAX_COLUMNS = 4  # of a table in a terminal
PS_PER_HOUR = 3600 * 10**12

Ends = dict[str, float | None]  # "low", "high"; None: no bound is known


@dataclass(frozen=True)
class Rates:
    """What a GPU is able to do, draws and costs. It changes no simulation, so it stands in no configuration."""

    peak_tflops: float | None = None  # None: job.0.training.peak_tflops where that is set, else an H100's
    watts: float = H100_W  # of a GPU, also while it waits
    price: float | None = None  # of a GPU-hour; None: no cost is said

    def __post_init__(self):
        for name, value in vars(self).items():
            if value is None and name != "watts":
                continue
            if value is None or not 0 < value < float("inf"):
                raise ValueError(f"{name} = {value}: give a number above 0")


def quoted(config: Mapping[str, Any], job: Job, values: Mapping[str, Mapping[str, float]], rates: Rates) -> dict[str, Any]:
    """Of a step whose `values` have intervals ("low", "high", ps). Every figure has the interval that follows from that of the time, or from
    that of the waits of a group; a share from both."""
    training = config["job"][0]["training"]
    tokens, per_token = tokens_of(training, job), flops_per_token(training)
    peak_tflops = rates.peak_tflops or training.get("peak_tflops", H100_TFLOPS)
    tokens_per_s = _inverse(values["time"], tokens * 1e12)
    busy = per_token / (peak_tflops * 1e12 * job.gpus)
    gpus_h = job.gpus / PS_PER_HOUR
    return {
        "tokens": tokens,
        "flops_per_token": per_token,
        "peak_tflops": peak_tflops,
        "watts": rates.watts,
        "price_per_gpu_hour": rates.price,
        "tokens_per_s": tokens_per_s,
        "mfu": _times(tokens_per_s, busy),
        **_spent("step", _times(values["time"], gpus_h), rates),
        **_spent("1e12_tokens", _times(values["time"], gpus_h * PER_TOKENS / tokens), rates),
        "waits": {
            group: {
                "share": _share(values[group], values["time"]),
                **_spent("1e12_tokens", _times(values[group], gpus_h * PER_TOKENS / tokens), rates),
            }
            for group in GROUPS
            if group in values
        },
    }


def _times(ends: Mapping[str, float | None], factor: float) -> Ends:
    return {end: None if ends[end] is None else ends[end] * factor for end in ("low", "high")}


def _inverse(ends: Mapping[str, float], of: float) -> Ends:
    return {"low": of / ends["high"] if ends["high"] else None, "high": of / ends["low"] if ends["low"] else None}


def _share(part: Mapping[str, float], whole: Mapping[str, float]) -> Ends:
    found = {
        "low": part["low"] / whole["high"] if whole["high"] else 0.0,
        "high": part["high"] / whole["low"] if whole["low"] else 1.0,
    }
    return {end: min(1.0, share) for end, share in found.items()}


def _spent(per: str, gpu_hours: Ends, rates: Rates) -> dict[str, Ends]:
    spent = {f"gpu_hours_per_{per}": gpu_hours, f"kwh_per_{per}": _times(gpu_hours, rates.watts / 1000)}
    return spent if rates.price is None else {**spent, f"cost_per_{per}": _times(gpu_hours, rates.price)}


def quoted_lines(found: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    """Tables of quoted() of several steps, of a few each, and what they rest on."""
    peaks, watts = ("/".join(dict.fromkeys(f"{one[key]:g}" for one in found)) for key in ("peak_tflops", "watts"))
    starts = range(0, len(found), MAX_COLUMNS)
    return [
        *(line for start in starts for line in _table(found[start : start + MAX_COLUMNS], names[start : start + MAX_COLUMNS])),
        f"MFU: of {peaks} TFLOP/s; a token takes 6 operations for each parameter that it meets, and causal attention. Energy: {watts} W a GPU.",
    ]


def _table(found: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    rows = [[title, *(ends_text(one, scale) for one in ends)] for title, _, scale, ends in quoted_rows(found)]
    return table_text(["a step", *names], rows)


def quoted_rows(found: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, float, list[Ends | None]]]:
    """Of quoted() of several steps, figures that any has: title, key, times how much it is written, and the interval of each step."""
    for title, path, scale in _TITLES:
        ends = [_at(one, path) for one in found]
        if any(ends):
            yield title, ".".join(path), scale, ends


def ends_text(ends: Mapping[str, float | None] | None, scale: float) -> str:
    """ "17.5 to 20.5"; "-": there is no such figure."""
    return "-" if ends is None else f"{number_text(ends['low'], scale)} to {number_text(ends['high'], scale)}"


def _at(found: Mapping[str, Any], path: Sequence[str]) -> Ends | None:
    for key in path:
        if key not in found:
            return None
        found = found[key]
    return dict(found)


def number_text(value: float | None, scale: float) -> str:
    if value is None:
        return "?"
    return f"{value * scale:,.0f}" if value * scale >= 1000 else f"{value * scale:.3g}"


def _titles():
    """What it is, where quoted() has it, and times how much it is written."""
    yield "tokens a second", ("tokens_per_s",), 1
    yield "MFU, %", ("mfu",), 100
    yield "GPU-hours a step", ("gpu_hours_per_step",), 1
    yield "energy, kWh a step", ("kwh_per_step",), 1
    yield "cost of a step, as --price", ("cost_per_step",), 1
    yield "GPU-hours for 10^12 tokens", ("gpu_hours_per_1e12_tokens",), 1
    yield "energy, MWh for 10^12 tokens", ("kwh_per_1e12_tokens",), 1e-3
    yield "cost of 10^12 tokens, as --price", ("cost_per_1e12_tokens",), 1
    for group in GROUPS:
        which = f"waits, {group}{' and bubble' if group == 'pipeline' else ''}"
        yield f"{which}: % of the step", ("waits", group, "share"), 100
        yield f"{which}: GPU-hours for 10^12 tokens", ("waits", group, "gpu_hours_per_1e12_tokens"), 1
        yield f"{which}: MWh for 10^12 tokens", ("waits", group, "kwh_per_1e12_tokens"), 1e-3


_TITLES = tuple(_titles())
