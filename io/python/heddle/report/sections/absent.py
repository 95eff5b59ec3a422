"""What is not shown, and why: so that nobody takes silence for zero."""

from heddle.report.blocks import Column, table_of

TITLE = "What is not here"


def blocks(page):
    reasons = {}
    for run in page.runs:
        for group, why in run.missing.items():
            reasons.setdefault((group, why), []).append(run.name)
    rows = [{"what": title, "why": why} for title, why in dict.fromkeys(page.absent)]
    rows += [{"what": f"{group} of the file", "why": why + ("" if len(names) == len(page.runs) else f" (of {', '.join(names[:3])}{', ...' if len(names) > 3 else ''})")}
             for (group, why), names in reasons.items()]
    return [table_of("not_here", "Figures and data that these results do not have", [Column("what", "what"), Column("why", "why")], rows)] if rows else []
