"""The site of a store: static pages, feeds and data on what its services do, for any web server or a folder.

No page needs a script or loads anything from another place. Everything that a service sent is text: the
templates escape it, and no address of a service is a link.
"""

from conformance.fleet.site.building import Built, build

__all__ = ["Built", "build"]
