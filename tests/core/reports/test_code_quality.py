from __future__ import annotations

import pytest
import report_samples as samples
from jsonschema import Draft202012Validator
from report_samples import typed

from conformance.reports import code_quality

TEXT = {"type": "string", "minLength": 1}
SCHEMA = {
    "type": "array",
    "items": {
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": TEXT,
            "check_name": TEXT,
            "fingerprint": TEXT,
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[a-z][a-z/]*$"},
                    "lines": {"required": ["begin"], "properties": {"begin": {"type": "integer"}}},
                },
            },
        },
    },
}
"""What GitLab's documentation requires of a code quality report."""


@pytest.mark.parametrize("text", ["", samples.HOSTILE])
def test_it_is_what_gitlab_takes(text: str) -> None:
    issues = code_quality.issues(typed(samples.eventful(text)))
    Draft202012Validator(SCHEMA).validate(issues)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert all(issue["description"].isprintable() for issue in issues)
