from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.reference.config import ReferenceConfig
from conformance.reference.process import ReferenceProcess


@pytest.fixture(scope="session")
def socket_service() -> Iterator[ReferenceProcess]:
    with ReferenceProcess(ReferenceConfig()) as service:
        yield service
