"""Why a requirement has no verdict by a check."""

from __future__ import annotations

from typing import Final

LEFT_OUT: Final = "Left out of this run by its profile or selection."
"""Why a requirement that the run does not decide has no verdict."""

NOT_REACHED: Final = "The run ended before this was tested."
"""Why a requirement is inconclusive without a finding."""
