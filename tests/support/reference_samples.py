"""The configuration that the tests of the reference service use."""

from __future__ import annotations

from conformance.reference.config import ReferenceConfig, User

USERS = (User("alice.example", "Alice-0123456789abcdefghij"), User("bob.example", "Bob-9876543210zyxwvutsrqpo"))
CONFIG = ReferenceConfig(users=USERS, seed=1)
ANONYMOUS = "00000000-0000-4000-8000-000000000000"
"""An identifier that no request has."""
BAD = (
    "Bearer made-up",
    f"Bearer {USERS[0].token[:-1]}X",
    f"Bearer {USERS[0].token.swapcase()}",
    f"Bearer {USERS[0].token}x",
    f"Bearer {USERS[0].token[:-9]}",
    f"Bearer {USERS[0].token[:13]}x{USERS[0].token[14:]}",
    f"Token {USERS[0].token}",
    "Bearer ",
    "Bearer null",
    "Basic dXNlcjpwYXNz",
)
"""Values of Authorization that are not accepted."""
