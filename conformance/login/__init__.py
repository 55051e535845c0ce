"""Logins: access tokens that an OAuth server gives, kept for later runs. Nothing here becomes a verdict (5.5)."""
