"""From what was asked and answered to what it says of each requirement."""
