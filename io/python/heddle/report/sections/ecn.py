"""ECN marks and congestion notifications; their totals are on the first screen."""

from heddle.report.blocks import Words

TITLE = "ECN and CNP"


def blocks(page):
    if page.alone and not page.run.partial and page.run.attrs["ecn_marks"] == 0 and page.run.attrs["cnps"] == 0:
        return [Words(["ECN marks over time: no packet was marked, and no congestion notification sent."])]
    return page.pictures("ecn")
