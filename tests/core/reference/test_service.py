"""What no run of the suite tries of the reference service."""

from __future__ import annotations

from dataclasses import replace

import httpx
from whole_runs import config

from conformance.reference.app import MAX_BODY, build_app
from conformance.reference.config import ReferenceConfig, numbered
from conformance.reference.in_process import InProcessTransport

CONFIG = config()


def test_a_body_beyond_what_memory_allows_is_refused() -> None:
    base_url, token = f"http://reference{CONFIG.path_prefix}", {"Authorization": f"Bearer {CONFIG.tokens[0]}"}
    with httpx.Client(transport=InProcessTransport(build_app(CONFIG)), base_url=base_url, headers=token) as client:
        assert client.post("/requests", content=b" " * (MAX_BODY + 1)).status_code == 413


def test_a_configuration_survives_json() -> None:
    for each in (CONFIG, replace(CONFIG, data_types=numbered(3)), replace(CONFIG, data_types=7)):
        assert ReferenceConfig.from_json(each.as_json()) == each
