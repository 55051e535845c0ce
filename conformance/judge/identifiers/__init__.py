"""Statistics of requestId (2.1): are identifiers random, do they count, hold a clock, or derive from known data?

`sample` collects the identifiers. `statistics` tests bits and numbers in them, `timestamps` finds clocks inside
identifiers, `generators` two weak ones, `derivation` known data, and `analysis` combines the statistics.
"""
