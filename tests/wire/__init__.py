"""Tests of the safe seam."""
