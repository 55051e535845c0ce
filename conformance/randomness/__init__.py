"""Are the identifiers of a run random (2.1)? Exact tests with their error probability, and what can be recomputed.

`sample` says what is looked at, `bits`, `pairs`, `order` and `counting` hold the tests, and `battery` lists every test
with its question. `time_fields`, `epochs` and `pace` find the time inside identifiers, `lots` parts those that tell it
from others, `names`, `numbers` and `guesses` recompute them from what is known, and `examination` puts all together.
"""
