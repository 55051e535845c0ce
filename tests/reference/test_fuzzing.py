"""Whatever schemathesis makes up from our own OpenAPI document, the service answers without a server error."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from reference_samples import CONFIG, USERS
from schemathesis import GenerationMode

from conformance.reference.app import build_app
from conformance.reference.in_process import InProcessTransport
from conformance.schema.documents import bundled

schema = schemathesis.openapi.from_dict(bundled())
OPERATIONS = {operation.ok().label: operation.ok() for operation in schema.get_all_operations()}


# There is no wrong way to ask for what has neither parameters nor a body.
CASES = [(label, GenerationMode.POSITIVE) for label in OPERATIONS]
CASES += [(label, GenerationMode.NEGATIVE) for label in OPERATIONS if "/requests" in label]


@pytest.mark.parametrize(("label", "mode"), CASES)
def test_made_up_calls_are_answered_without_a_server_error(label: str, mode: GenerationMode) -> None:
    base_url = f"http://reference{CONFIG.path_prefix}"
    token = {"Authorization": f"Bearer {USERS[0].token}"}

    with httpx.Client(transport=InProcessTransport(build_app(CONFIG)), base_url=base_url) as client:

        @seed(1)
        @settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=OPERATIONS[label].as_strategy(generation_mode=mode))
        def fuzz(case: Any) -> None:
            request = case.as_transport_kwargs(base_url=base_url)
            body = request.get("json", request.get("data"))
            response = client.request(
                request["method"],
                request["url"],
                params=request.get("params"),
                headers={**{str(k): str(v) for k, v in (request.get("headers") or {}).items()}, **token},
                **({"content": body} if isinstance(body, bytes | str) else {"json": body} if body is not None else {}),
            )
            assert response.status_code < 500

        fuzz()
