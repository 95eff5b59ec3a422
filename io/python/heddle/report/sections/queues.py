"""Queues at the egresses of switches."""

TITLE = "Queues"


def blocks(page):
    return page.pictures("queue_depth", "largest_queues", "queue_histogram")
