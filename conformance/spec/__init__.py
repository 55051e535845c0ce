"""What the specification requires, as data: the kinds of calls, and what each of them must be answered."""
