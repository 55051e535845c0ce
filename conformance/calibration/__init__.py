"""The instrument that measures the suite: it is run against every fault and every twin, and scored."""
