"""The commands `login` and `logout`, and the tokens that they keep for a run."""
