"""The reference service: keeps every requirement, and can be bent in one place by a fault or a twin."""
