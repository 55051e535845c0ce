"""The evidence of a run as a bundle: packed, signed, time-stamped, and checked again."""
