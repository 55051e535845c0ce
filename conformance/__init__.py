"""Conformance suite for the Data Request Service Interface."""

from typing import Final

NAME: Final = "drsi-conformance"
__version__: Final = "0.1.0"
