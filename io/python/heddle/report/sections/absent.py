"""What is not shown, and why: so that nobody takes silence for zero."""

from heddle.report.blocks import Column, table_of

TITLE = "What is not here"


def blocks(page):
    """One row per reason: what is missing because of it."""
    by_reason: dict[str, list[str]] = {}
    for title, why in dict.fromkeys(page.absent):
        by_reason.setdefault(why, []).append(title)
    by_group: dict[tuple[str, str], list[str]] = {}
    for run in page.runs:
        for group, why in run.missing.items():
            by_group.setdefault((group, why), []).append(run.name)
    for (group, why), names in by_group.items():
        of = "" if len(names) == len(page.runs) else f" (of {', '.join(names[:3])}{', ...' if len(names) > 3 else ''})"
        by_reason.setdefault(why + of, []).append(f"{group} of the file")
    rows = [{"why": why, "what": "; ".join(what)} for why, what in by_reason.items()]
    return (
        [table_of("not_here", "What these results do not have", [Column("why", "why"), Column("what", "what")], rows)]
        if rows
        else []
    )
