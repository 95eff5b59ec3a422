"""A failure in a layer's collective: what it does to a step, and what a month of such failures costs.

failure.py is the table of --failure, counterparts.py finds the nodes of a part that stand for its nodes, failing.py simulates the parts with
the failure in them, cost.py says what follows for a step, month.py for a month, and text.py prints it.
"""
