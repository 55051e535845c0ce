"""The calibration of the suite: runs against every fault and every twin, with a score. No run imports this folder."""
