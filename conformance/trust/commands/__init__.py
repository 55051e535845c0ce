"""The commands `attest`, `reply` and `bundle`."""
