"""What a run creates at the target: the journal of it, and its deletion."""
