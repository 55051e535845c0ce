"""What a run tries once, for several checks to read: the limit, calls together, credentials, languages, completion."""
