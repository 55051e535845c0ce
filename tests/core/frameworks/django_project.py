"""The settings that the two Django services share, and their model with its table."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import django
from django.conf import settings

# The folder lasts as long as this process: every thread opens the file for itself.
_FOLDER = tempfile.TemporaryDirectory(prefix="frameworks-")

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    SECRET_KEY="of no use outside the tests",
    INSTALLED_APPS=["rest_framework"],
    LOGGING_CONFIG=None,
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": Path(_FOLDER.name) / "db.sqlite3",
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
            },
            "CONN_MAX_AGE": None,  # each thread keeps its connection, which takes longer to open than to use
        }
    },
    REST_FRAMEWORK={"UNAUTHENTICATED_USER": None},
    TIME_ZONE="Europe/Amsterdam",
)
django.setup()

from django.core.cache import cache  # noqa: E402  models and caches need the settings
from django.core.handlers.wsgi import WSGIHandler  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.test.utils import override_settings  # noqa: E402


class DataRequest(models.Model):
    """A data request as it is stored."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.CharField(max_length=100)
    types = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "libraries"


with connection.schema_editor() as editor:  # there are no migrations
    editor.create_model(DataRequest)


@contextmanager
def serving(urls: ModuleType, **changes: Any) -> Iterator[Callable[..., Any]]:
    """Give a project with the root URLconf `urls` and no data requests; `changes` are other settings."""
    with override_settings(ROOT_URLCONF=urls, **changes):
        DataRequest._default_manager.all().delete()
        cache.clear()
        yield WSGIHandler()
