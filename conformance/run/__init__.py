"""One run: doctor, checks, clean-up, report."""
