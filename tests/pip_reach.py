"""Whether pip failed because it reaches no package index: then a test that needs one is skipped, not failed."""

SIGNS = (
    "Failed to establish a new connection",
    "Temporary failure in name resolution",
    "No matching distribution",
    "NewConnectionError",
    "Network is unreachable",
    "timed out",
)


def is_out_of_reach(said):
    """By what pip has printed."""
    return any(sign in said for sign in SIGNS)
