"""The one way out: everything that goes to the target and comes back passes through here, bounded."""
