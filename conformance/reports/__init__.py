"""The result of a run as data, and the views that are rendered from it."""
