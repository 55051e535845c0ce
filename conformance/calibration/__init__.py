"""The calibration of the suite: it is run against every fault and every twin, and scored. No run imports this room."""
