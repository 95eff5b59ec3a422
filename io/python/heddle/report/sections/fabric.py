"""The drawing of the fabric."""

TITLE = "Fabric and link use"


def blocks(page):
    return page.pictures("fabric")
