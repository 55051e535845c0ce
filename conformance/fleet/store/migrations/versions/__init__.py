"""The revisions, each named by its number. Schema N is made by the revisions 1 to N."""
