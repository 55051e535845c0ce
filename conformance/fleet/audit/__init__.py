"""Many runs in one command: targets from a file, each run in a process of its own, and what changed since last time."""
