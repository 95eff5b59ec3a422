"""How far variants of a step are from the first, with intervals."""

import pandas as pd

from heddle.figures.step_differences import MAX_LINES, VERDICTS, StepDifferences, verdict_of
from heddle.report.blocks import Column, Words, table_of
from heddle.report.page import picture_alone
from heddle.report.sections.step_time import name_of
from heddle.report.step_screen import subtracted
from heddle.step.comparing_text import by_size
from heddle.step.parts import ALONE, TOGETHER

TITLE = "Differences"


def blocks(page):
    if page.steps is None or len(page.steps.variants) == 1:
        return []
    found, names = page.steps.compared, page.steps.names
    frame = frame_of(found, dict(zip(page.steps.letters, names)))
    drawn = frame[(frame.low_ps != 0) | (frame.high_ps != 0)].reset_index(drop=True)
    drawn.attrs = frame.attrs
    said = subtracted(found)
    left = f"The first {MAX_LINES} of {len(drawn)} are drawn; the table has all." if len(drawn) > MAX_LINES else ""
    columns = [Column("variant", "variant"), Column("setting", "setting"), Column("value", "value")]
    columns += [Column("low_ps", "from", "+ps"), Column("high_ps", "to", "+ps")]
    columns += [
        Column("low_share", "from, of A's time", "+share"),
        Column("high_share", "to, of A's time", "+share"),
        Column("says", "says"),
    ]
    return [
        *([picture_alone(StepDifferences(), drawn, left)] if len(drawn) else []),
        table_of("differences", f"More than A ({names[0]}): the largest difference of the time first", columns, frame),
        *([Words(said)] if said else []),
    ]


def _order(named):
    """The time first, then what differs most; what is the same last."""
    value, difference = named
    return value != "time", not _differs(difference), -abs(difference.low_ps + difference.high_ps)


def _differs(difference):
    return difference.low_ps != 0 or difference.high_ps != 0


def frame_of(found, names):
    """What StepDifferences draws."""
    first = found.first.values["time"]
    first_ps = (first[ALONE] + first[TOGETHER]) / 2
    rows = []
    for letter, other in by_size(found):
        of_size = sorted(other.differences.items(), key=_order)
        for value, difference in of_size:
            ends = {"low": difference.low_ps, "high": difference.high_ps}
            rows.append(
                {
                    "variant": letter,
                    "setting": names[letter],
                    "value": name_of(value),
                    **{f"{end}_ps": ps for end, ps in ends.items()},
                    **{f"{end}_share": ps / first_ps if first_ps else float("nan") for end, ps in ends.items()},
                    "says": VERDICTS[verdict_of(*ends.values())][0] if _differs(difference) else "the same",
                }
            )
    frame = pd.DataFrame(rows)
    frame.attrs["first_ps"] = first_ps
    return frame
