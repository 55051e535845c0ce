"""Many services: audits, a store of their runs, pages and a public register."""
