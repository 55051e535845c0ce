"""The service follows the Data Request Service Interface: one test for each requirement."""

from conformance.pytest_plugin import Requirements


class TestInterface(Requirements):
    drsi_app = "service:app/api"
