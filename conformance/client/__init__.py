"""The target as a check sees it."""
