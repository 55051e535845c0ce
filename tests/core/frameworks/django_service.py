"""The interface on plain Django: function views, a model with the ORM, and JsonResponse."""

from __future__ import annotations

import itertools
import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from functools import partial, wraps
from types import ModuleType
from typing import Any

import httpx
from django.conf import settings as project
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path
from django.utils import timezone, translation
from django.views.decorators.cache import cache_page
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from . import domain
from .django_project import create_tables, serving

STARTED_BEFORE = timedelta(hours=3, minutes=7, seconds=11)
"""For how long a server process has usually been running; this one has only just begun."""


VARIANTS = {
    "locales": "supportedLanaguages are locales such as en_GB, which Accept-Language asks for as en-GB",
    "language-names": "supportedLanaguages are names, and Accept-Language asks for tags",
}
"""What conforms as well."""
_LOCALES = ["en_GB", "nl_NL", "de_DE"]
_NAMES = ["English", "Nederlands", "Deutsch"]


class _Fields(models.Model):
    owner = models.CharField(max_length=100)
    types = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    cancelled = models.BooleanField(default=False)

    class Meta:
        abstract = True


class DataRequest(_Fields):
    """A data request as it should be stored."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    class Meta:
        app_label = "libraries"


class NumberedRequest(_Fields):
    """A data request with Django's default identifier."""

    class Meta:
        app_label = "libraries"


class TouchedRequest(_Fields):
    """A data request whose createdAt changes whenever it is saved."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "libraries"


class DatedRequest(_Fields):
    """A data request whose createdAt is the moment at which this class was defined."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(default=timezone.now() - STARTED_BEFORE)

    class Meta:
        app_label = "libraries"


TABLES: tuple[type[_Fields], ...] = (DataRequest, NumberedRequest, TouchedRequest, DatedRequest)
MODELS: dict[str, type[_Fields]] = {
    "auto-field": NumberedRequest,
    "auto-now": TouchedRequest,
    "default-called-once": DatedRequest,
}
create_tables(*TABLES)

View = Callable[..., HttpResponse]


def _error(request: HttpRequest, exception: Exception | None = None, *, status: int, name: str) -> HttpResponse:
    return JsonResponse({"error": name, "message": f"{name}: {request.path}"}, status=status)


def root_urlconf(wrong: str = "") -> ModuleType:
    """Return the root URLconf, with the mistake `wrong` if one is named."""
    model = MODELS.get(wrong, DataRequest)
    numbers = itertools.count()

    def refused(request: HttpRequest, problem: dict[str, str], status: int) -> HttpResponse:
        if wrong == "translated-errors" and request.headers.get("Accept-Language", "").startswith("nl"):
            problem = {**problem, "message": f"Fout: {problem['error']}"}
        return JsonResponse(problem, status=status)

    def token_required(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, **arguments: Any) -> HttpResponse:
            scheme, _, token = request.headers.get("Authorization", "").partition(" ")
            user = domain.TOKENS.get(token)
            if scheme.lower() == "bearer" and user:
                return view(request, user, **arguments)
            if wrong == "login-redirect":
                return redirect(f"/accounts/login/?next={request.path}")
            return refused(request, domain.UNAUTHORIZED, 401)

        return checked

    def created_at(each: _Fields) -> Any:
        match wrong:
            case "local-time-with-z":
                return timezone.localtime(each.created_at).strftime("%Y-%m-%dT%H:%M:%SZ")
            case "midnight":
                return each.created_at.replace(hour=0, minute=0, second=0, microsecond=0)
        return each.created_at

    def document(each: _Fields) -> JsonResponse:
        return JsonResponse(
            {
                "requestId": each.pk,
                "createdAt": created_at(each),
                "expectedCompletion": each.created_at + timedelta(days=30),
                "isCompleted": False,
                "dataRequested": each.types,
            }
        )

    def wanted(request: HttpRequest) -> Any:
        if wrong == "content-type-compared" and request.META["CONTENT_TYPE"] != "application/json":
            return list(domain.NAMES)
        if not request.body:
            return list(domain.NAMES)
        return json.loads(request.body)

    @require_POST
    @token_required
    def create(request: HttpRequest, user: str) -> HttpResponse:
        try:
            types = wanted(request)
        except (UnicodeDecodeError, json.JSONDecodeError):
            return refused(request, domain.INVALID_DATA_TYPES, 400)
        if wrong == "filtered-types" and isinstance(types, list):
            types = [each for each in domain.NAMES if each in types]
        if not isinstance(types, list) or not all(each in domain.NAMES for each in types):
            return refused(request, domain.INVALID_DATA_TYPES, 400)
        types = list(dict.fromkeys(types))
        # With this transaction mode no other client writes between the count and the insert.
        with nullcontext() if wrong in ("count-then-insert", "insert-then-check") else transaction.atomic():
            mine = model._default_manager.filter(owner=user, cancelled=False)
            if wrong == "get-or-create" and (same := mine.filter(types=types).first()):
                return document(same)
            if wrong != "insert-then-check" and mine.count() >= domain.LIMIT:
                return refused(request, domain.LIMIT_REACHED, 400)
            made = model(owner=user, types=types)
            if wrong == "uuid5":
                made.pk = uuid.uuid5(uuid.NAMESPACE_URL, f"{user}-{next(numbers)}")
            if wrong == "count-then-insert":
                time.sleep(0.05)  # as long as a busy database on another machine takes
            made.save(force_insert=True)
            if wrong == "insert-then-check" and mine.count() > domain.LIMIT:
                return refused(request, domain.LIMIT_REACHED, 400)
        return document(made)

    @require_http_methods(["GET", "HEAD", "DELETE"])
    @token_required
    def one(request: HttpRequest, user: str, request_id: Any) -> HttpResponse:
        try:
            found = get_object_or_404(model, pk=request_id, owner=user)
        except (Http404, ValidationError, ValueError):
            return refused(request, domain.NOT_FOUND, 404)
        if request.method != "DELETE":
            if wrong == "auto-now":
                found.save()
            return document(found)
        if wrong == "soft-delete":
            found.cancelled = True
            found.save()
        elif not model._default_manager.filter(pk=found.pk).delete()[0]:
            return refused(request, domain.NOT_FOUND, 404)
        return HttpResponse("OK", content_type="text/plain")

    @require_safe
    def settings(request: HttpRequest) -> HttpResponse:
        listed = {"locales": _LOCALES, "locales-unserved": _LOCALES, "language-names": _NAMES}
        return JsonResponse({**domain.SETTINGS, "supportedLanaguages": listed.get(wrong, domain.LANGUAGES)})

    @require_safe
    def data(request: HttpRequest) -> HttpResponse:
        asked = request.headers.get("Accept-Language", "").partition(",")[0].partition(";")[0].strip().lower()
        language = asked.partition("-")[0] if asked not in ("", "*") else domain.LANGUAGES[0]
        if wrong == "locales-unserved":
            language = asked or domain.LANGUAGES[0]
        if wrong == "locale-middleware":
            language = translation.get_language()
        if language not in domain.LANGUAGES:
            return refused(request, domain.LANGUAGE_NOT_SUPPORTED, 400)
        return JsonResponse(domain.described(language), safe=False)

    @require_safe
    @token_required
    def data_me(request: HttpRequest, user: str) -> HttpResponse:
        return JsonResponse({"account": {"name": user}, "types": list(domain.NAMES)})

    identifier = {"uuid-converter-generic": "<uuid:request_id>", "auto-field": "<int:request_id>"}.get(
        wrong, "<str:request_id>"
    )
    exempt: Callable[[View], View] = (lambda view: view) if wrong == "csrf" else csrf_exempt
    urls = ModuleType("urls")
    urls.urlpatterns = [
        path("requests/" if wrong == "append-slash" else "requests", exempt(create)),
        path(f"requests/{identifier}", exempt(cache_page(60)(one) if wrong == "cache-page-reading" else one)),
        path("settings", settings),
        path("data", data),
        path("data/me", data_me),
    ]
    urls.handler404 = partial(_error, status=404, name="Not Found")
    urls.handler400 = partial(_error, status=400, name="Bad Request")
    return urls


CHANGES: dict[str, dict[str, Any]] = {
    "locale-middleware": {
        "LANGUAGES": [(each, each) for each in domain.LANGUAGES],
        "LANGUAGE_CODE": "en",
        "MIDDLEWARE": ["django.middleware.locale.LocaleMiddleware", *project.MIDDLEWARE],
    },
}
"""The settings that a mistake has otherwise."""

USERS = tuple(domain.TOKENS)


@contextmanager
def serve(wrong: str = "") -> Iterator[httpx.BaseTransport]:
    """Give a transport to a fresh service."""
    with serving(root_urlconf(wrong), TABLES, **CHANGES.get(wrong, {})) as transport:
        yield transport
