"""Are the identifiers of a run random (2.1)? Exact tests with their error probability, and what can be recomputed.

`sample` says what is looked at, `bits`, `pairs`, `order` and `counting` hold the tests, `clocks` finds the time inside
identifiers, `names` recomputes them from what is known, and `battery` lists every test with its question.
"""
