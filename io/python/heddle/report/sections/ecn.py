"""ECN marks and congestion notifications."""

from heddle.report.blocks import Column, Words, table_of

TITLE = "ECN and CNP"


def blocks(page):
    found = page.pictures("ecn")
    if not page.alone or page.run.partial:
        return found
    attrs = page.run.attrs
    if attrs["ecn_marks"] == 0 and attrs["cnps"] == 0:
        return [Words(["No packet was marked, and no congestion notification sent."])]
    control = page.run.parameters.get("roce.congestion_control")
    row = {
        "marks": attrs["ecn_marks"],
        "cnps": attrs["cnps"],
        "data": attrs["data_packets_received"],
        "share": attrs["ecn_marks"] / attrs["data_packets_received"] if attrs["data_packets_received"] else None,
        "control": control.text if control else "-",
    }
    columns = [
        Column("marks", "ECN marks", "count"),
        Column("cnps", "CNPs", "count"),
        Column("data", "data packets received", "count"),
        Column("share", "marks per data packet", "rarity"),
        Column("control", "congestion control"),
    ]
    note = "Marks are counted at every egress, so a packet can be marked on several links." + (
        " Without a congestion control, marks change nothing." if row["control"] == "none" else ""
    )
    return [table_of("ecn_and_cnp", "Totals of the run", columns, [row], note), *found]
