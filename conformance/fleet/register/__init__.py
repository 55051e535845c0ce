"""The public register: a status document for each published run, how it is signed, and how a bundle is looked up.

`status.py`, `lookup.py` and `seen.py` are for readers, and need no store; `entries.py` makes the documents from what a
store says.
"""
