"""An ASGI or WSGI application as a service: loaded by its name, and served on the loopback address during a run."""
