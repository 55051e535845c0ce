"""Evidence: digests, bundles, statements, signatures and time stamps of a recorded run."""
