"""The interface on plain Django: function views, the ORM, and JsonResponse."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from functools import partial, wraps
from types import ModuleType
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from . import domain
from .django_project import DataRequest, serving

View = Callable[..., HttpResponse]


def _error(request: HttpRequest, exception: Exception | None = None, *, status: int, name: str) -> HttpResponse:
    return JsonResponse({"error": name, "message": f"{name}: {request.path}"}, status=status)


def root_urlconf(wrong: str = "") -> ModuleType:
    """Return the root URLconf, with the mistake `wrong` if one is named."""

    def refused(problem: dict[str, str], status: int) -> HttpResponse:
        return JsonResponse(problem, status=status)

    def token_required(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, **arguments: Any) -> HttpResponse:
            user = domain.user_of(request.headers.get("Authorization", ""))
            return view(request, user, **arguments) if user else refused(domain.UNAUTHORIZED, 401)

        return checked

    def document(each: DataRequest) -> JsonResponse:
        return JsonResponse(
            {
                "requestId": each.pk,
                "createdAt": each.created_at,
                "expectedCompletion": each.created_at + timedelta(days=30),
                "isCompleted": False,
                "dataRequested": each.types,
            }
        )

    @require_POST
    @token_required
    def create(request: HttpRequest, user: str) -> HttpResponse:
        try:
            types = json.loads(request.body) if request.body else list(domain.NAMES)
        except (UnicodeDecodeError, json.JSONDecodeError):
            return refused(domain.INVALID_DATA_TYPES, 400)
        if not isinstance(types, list) or not all(each in domain.NAMES for each in types):
            return refused(domain.INVALID_DATA_TYPES, 400)
        types = list(dict.fromkeys(types))
        # With this transaction mode no other client writes between the count and the insert.
        with nullcontext() if wrong == "insert-then-check" else transaction.atomic():
            mine = DataRequest._default_manager.filter(owner=user)
            if wrong != "insert-then-check" and mine.count() >= domain.LIMIT:
                return refused(domain.LIMIT_REACHED, 400)
            made = DataRequest(owner=user, types=types)
            made.save(force_insert=True)
            if wrong == "insert-then-check" and mine.count() > domain.LIMIT:
                return refused(domain.LIMIT_REACHED, 400)
        return document(made)

    @require_http_methods(["GET", "HEAD", "DELETE"])
    @token_required
    def one(request: HttpRequest, user: str, request_id: Any) -> HttpResponse:
        try:
            found = get_object_or_404(DataRequest, pk=request_id, owner=user)
        except (Http404, ValidationError, ValueError):
            return refused(domain.NOT_FOUND, 404)
        if request.method != "DELETE":
            return document(found)
        if not DataRequest._default_manager.filter(pk=found.pk).delete()[0]:
            return refused(domain.NOT_FOUND, 404)
        return HttpResponse("OK", content_type="text/plain")

    @require_safe
    def settings(request: HttpRequest) -> HttpResponse:
        return JsonResponse(domain.SETTINGS)

    @require_safe
    def data(request: HttpRequest) -> HttpResponse:
        language = domain.language_of(request.headers.get("Accept-Language", ""))
        if language is None:
            return refused(domain.LANGUAGE_NOT_SUPPORTED, 400)
        return JsonResponse(domain.described(language), safe=False)

    @require_safe
    @token_required
    def data_me(request: HttpRequest, user: str) -> HttpResponse:
        return JsonResponse(domain.account(user))

    identifier = "<uuid:request_id>" if wrong == "uuid-converter-generic" else "<str:request_id>"
    exempt: Callable[[View], View] = (lambda view: view) if wrong == "csrf" else csrf_exempt
    urls = ModuleType("urls")
    urls.urlpatterns = [
        path("requests", exempt(create)),
        path(f"requests/{identifier}", exempt(one)),
        path("settings", settings),
        path("data", data),
        path("data/me", data_me),
    ]
    urls.handler404 = partial(_error, status=404, name="Not Found")
    urls.handler400 = partial(_error, status=400, name="Bad Request")
    return urls


@contextmanager
def application(wrong: str = "") -> Iterator[Callable[..., Any]]:
    """Give a fresh service."""
    with serving(root_urlconf(wrong)) as app:
        yield app
