"""What was done until when; the one thing that a partial file tells of its workload."""

TITLE = "Progress"


def blocks(page):
    return page.pictures("completions")
