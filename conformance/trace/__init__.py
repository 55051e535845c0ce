"""The trace of a run: what scenarios recorded, as documents hold it and as checks read it."""
