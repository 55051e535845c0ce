"""What the process does first that starts the runs of an audit: a run on the reference service.

Its forks begin with what that run loaded and keeps. It needs no network, no file and no chance, and nothing of it
depends on a target.
"""

from __future__ import annotations

import gc
from contextlib import closing

from conformance.cli import save_memory
from conformance.fleet.audit.child import leave_the_terminal


def _make_a_run() -> None:
    from conformance.calibration.run_one import REFERENCE_JOB, plan_of, session_of
    from conformance.calibration.variant import REFERENCE
    from conformance.cli import check as _command  # noqa: F401 - what a run loads beside
    from conformance.reports.files import DEFAULT_FORMATS, rendered
    from conformance.run.check import check
    from conformance.run.documents import Documents
    from conformance.run.progress import ProgressListener

    with closing(session_of(REFERENCE, REFERENCE_JOB)) as session:
        documents = Documents(check(session, plan_of(REFERENCE_JOB), ProgressListener()))
    rendered(documents.data, documents.evidence, DEFAULT_FORMATS)


leave_the_terminal()
save_memory()
_make_a_run()
gc.collect()
gc.freeze()  # a fork that collects garbage neither looks at all this nor copies the memory
