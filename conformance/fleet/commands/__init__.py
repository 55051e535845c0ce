"""The commands `audit`, `store` and `site`, and what `verify` asks a register."""
