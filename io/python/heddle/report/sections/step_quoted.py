"""What people quote of a step: tokens a second, MFU, GPU-hours, energy, cost, and what waits take of them."""

from heddle.report.blocks import Cell, Column, Table
from heddle.step.quoting import number_text, quoted_rows

TITLE = "What people quote"
MAX_BESIDE = 4  # variants with columns of their own
ENDS = ("low", "high")


def blocks(page):
    if page.steps is None:
        return []
    steps = page.steps
    found = list(quoted_rows([variant.quoted for variant in steps.variants]))
    note = _note(steps)
    caption = "Each figure, from and to: the interval that follows from that of the time"
    if len(steps.variants) <= MAX_BESIDE:
        headers = {"low": "from", "high": "to"}
        columns = [
            Column(f"{letter}.{end}".strip("."), f"{letter}{', ' * bool(letter)}{headers[end]}", "count")
            for letter in steps.letters
            for end in ENDS
        ]
        rows = [
            [Cell(title, key), *(cell for ends in of_steps for cell in _cells(ends, scale))]
            for title, key, scale, of_steps in found
        ]
        return [Table("quoted", caption, [Column("figure", "a step"), *columns], rows, note)]
    columns = [Column("variant", "variant"), Column("setting", "setting"), Column("figure", "figure")]
    columns += [Column("low", "from", "count"), Column("high", "to", "count")]
    rows = [
        [Cell(letter, letter), Cell(name, name), Cell(title, key), *_cells(of_steps[place], scale)]
        for title, key, scale, of_steps in found
        for place, (letter, name) in enumerate(zip(steps.letters, steps.names))
    ]
    return [Table("quoted", caption, columns, rows, note)]


def _cells(ends, scale):
    """Of one interval; "-" where there is no such figure, or no bound."""
    known = [None if ends is None else ends[end] for end in ENDS]
    return [Cell("-") if value is None else Cell(number_text(value, scale), repr(value)) for value in known]


def rates_of(variant):
    """What a GPU is able to do, draws and costs."""
    rates = variant.steps[0]["rates"]
    price = f"{rates['price']:g} for a GPU-hour" if rates["price"] else "no price"
    return f"{variant.quoted['peak_tflops']:g} TFLOP/s and {rates['watts']:g} W a GPU, {price}"


def _note(steps):
    """What the figures rest on."""
    said = steps.said(rates_of)
    return (
        f"{said}. A token takes 6 operations for each parameter that it meets, and causal attention; recomputing counts nothing. A GPU draws "
        "its watts also while it waits. CSV: not scaled (kWh, shares)."
    )
