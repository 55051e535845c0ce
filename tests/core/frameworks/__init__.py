"""Small services as developers write them with common frameworks, and the mistakes that the frameworks invite."""
