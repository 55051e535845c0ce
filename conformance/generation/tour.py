"""The tour: the sequence of calls of two users that is worth making in each run.

It reads the oldest request after each change, goes one beyond the limit after each deletion, and looks at deleted
requests right after their deletion and after a later creation. Steps that are not possible are left out: where the
limit is lower than 3, for example, some requests do not exist.
"""

from __future__ import annotations

from typing import Final

from conformance.generation.walk import A, B, Step

TOUR: Final = (
    Step(A, "creates", "one"),
    Step(A, "deletes unknown"),
    Step(B, "reads another's", "oldest"),
    Step(A, "reads", "oldest"),
    Step(A, "creates", "all"),
    Step(A, "reads", "oldest"),
    Step(A, "creates", "all"),  # beside another one for all types
    Step(A, "reads", "oldest"),
    Step(A, "reads", "middle"),
    Step(A, "creates", "one"),  # one too many, if the limit is 3
    Step(B, "creates", "all"),
    Step(A, "reads another's", "oldest"),
    Step(A, "reads", "oldest"),
    Step(B, "deletes", "oldest"),
    Step(B, "reads deleted", "oldest"),
    Step(A, "reads", "oldest"),
    Step(A, "creates", "two"),  # B's deletion frees no place of A
    Step(B, "deletes again", "oldest"),
    Step(A, "reads", "oldest"),
    Step(A, "creates", "one"),  # nor does a deletion that finds nothing
    Step(A, "deletes", "middle"),
    Step(A, "reads deleted", "oldest"),
    Step(A, "reads", "oldest"),
    Step(A, "creates", "two"),  # in the place that is free now
    Step(A, "reads deleted", "oldest"),
    Step(B, "reads deleted", "oldest"),
    Step(A, "reads", "oldest"),
    Step(A, "reads", "middle"),
    Step(A, "creates", "two"),  # one too many
    Step(A, "deletes again", "oldest"),
    Step(A, "reads", "oldest"),
    Step(A, "creates", "one"),  # one too many
    Step(A, "deletes", "middle"),
)
