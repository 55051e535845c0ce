"""The requirements that the recorded exchanges of a run violate, and the verdict on each requirement."""
