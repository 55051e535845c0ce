"""From a JSON document to the requirements that it violates."""
