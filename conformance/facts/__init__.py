"""Facts: what exchanges show, computed from them alone."""
