"""The interface on Django REST framework: a serializer, a view set, and an exception handler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .django_project import DataRequest, serving  # configures the settings, which the imports below need

# isort: split
from django.conf import settings as project
from django.db import models, transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from rest_framework import authentication, exceptions, mixins, parsers, permissions, renderers, serializers, views
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter
from rest_framework.viewsets import GenericViewSet

from . import domain


class DataRequestSerializer(serializers.Serializer):
    """A data request (2.1)."""

    requestId = serializers.UUIDField(source="id")
    createdAt = serializers.DateTimeField(source="created_at")
    isCompleted = serializers.ReadOnlyField(default=False)
    dataRequested = serializers.ListField(source="types")


@dataclass(frozen=True)
class User:
    """Whom a token stands for."""

    name: str
    is_authenticated: bool = True


class BearerAuthentication(authentication.TokenAuthentication):
    """The tokens of the OAuth server."""

    keyword = "Bearer"

    def authenticate_credentials(self, key: str) -> tuple[User, str]:
        """Return the user of a token; raise AuthenticationFailed for any other."""
        if key not in domain.TOKENS:
            raise exceptions.AuthenticationFailed
        return User(domain.TOKENS[key]), key


class Refused(exceptions.APIException):
    """A 400 of the interface, with its error object."""

    status_code = 400


def exception_handler(wrong: str) -> Callable[..., Response | None]:
    """Return the EXCEPTION_HANDLER of the service."""

    def handled(error: Exception, context: dict[str, Any]) -> Response | None:
        response = views.exception_handler(error, context)
        if response is None or wrong == "detail-everywhere":
            return response
        match error:
            case Refused() | exceptions.ValidationError():
                pass
            case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
                response.data = domain.UNAUTHORIZED
            case Http404():
                response.data = domain.NOT_FOUND
            case exceptions.APIException():
                response.data = {"error": error.default_code, "message": str(error.detail)}
        return response

    return handled


def view_set(wrong: str) -> type[GenericViewSet]:
    """Return the view of data requests."""

    class Authentication(BearerAuthentication):
        if wrong == "no-authenticate-header":

            def authenticate_header(self, request: Request) -> None:
                return None

    class DataRequests(
        mixins.CreateModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, GenericViewSet[DataRequest]
    ):
        authentication_classes = (Authentication,)
        permission_classes = (permissions.IsAuthenticated,)
        parser_classes = (parsers.JSONParser,)
        renderer_classes = (renderers.JSONRenderer,)
        serializer_class = DataRequestSerializer
        if wrong == "validated-before-token":
            permission_classes = (permissions.AllowAny,)

        def get_queryset(self) -> models.QuerySet[DataRequest]:
            if self.request.user is None:
                raise exceptions.NotAuthenticated
            return DataRequest.objects.filter(owner=self.request.user.name)

        def wanted(self) -> list[str]:
            given = self.request.data or list(domain.NAMES)
            try:
                types = serializers.ListField(child=serializers.ChoiceField(domain.NAMES)).run_validation(given)
            except exceptions.ValidationError:
                if wrong == "serializer-errors":
                    raise
                raise Refused(domain.INVALID_DATA_TYPES) from None
            return list(dict.fromkeys(types))

        def create(self, request: Request) -> Response:
            types = self.wanted()
            mine = self.get_queryset()
            # With this transaction mode no other client writes between the count and the insert.
            with transaction.atomic():
                if mine.count() >= domain.LIMIT:
                    raise Refused(domain.LIMIT_REACHED)
                made = DataRequest.objects.create(owner=request.user.name, types=types)
            return Response(self.get_serializer(made).data)

        def perform_destroy(self, instance: DataRequest) -> None:
            if not self.get_queryset().filter(pk=instance.pk).delete()[0]:
                raise Http404

        def destroy(self, request: Request, pk: str) -> HttpResponse:
            super().destroy(request)
            return HttpResponse("OK", content_type="text/plain")

    return DataRequests


def root_urlconf(wrong: str = "") -> ModuleType:
    """Return the root URLconf, with the mistake `wrong` if one is named."""

    def view(permission: type[permissions.BasePermission], shown: Callable[[Request], Any]) -> Any:
        class Document(views.APIView):
            authentication_classes = (BearerAuthentication,)
            permission_classes = (permission,)
            renderer_classes = (renderers.JSONRenderer,)

            def get(self, request: Request) -> Response:
                return Response(shown(request))

        return Document.as_view()

    def data_types(request: Request) -> Any:
        language = domain.language_of(request.headers.get("Accept-Language", ""))
        if language is None:
            raise Refused(domain.LANGUAGE_NOT_SUPPORTED)
        return domain.described(language)

    def not_found(request: HttpRequest, exception: Exception) -> JsonResponse:
        return JsonResponse({"error": "Not Found", "message": "Nothing is here."}, status=404)

    router = DefaultRouter(trailing_slash=False)
    router.register("requests", view_set(wrong), basename="datarequest")
    urls = ModuleType("urls")
    urls.urlpatterns = [
        path("settings", view(permissions.AllowAny, lambda _: domain.SETTINGS)),
        path("data", view(permissions.AllowAny, data_types)),
        path("data/me", view(permissions.IsAuthenticated, lambda request: domain.account(request.user.name))),
        *router.urls,
    ]
    urls.handler404 = not_found
    return urls


@contextmanager
def application(wrong: str = "") -> Iterator[Callable[..., Any]]:
    """Give a fresh service."""
    rest = {**project.REST_FRAMEWORK, "EXCEPTION_HANDLER": exception_handler(wrong)}
    with serving(root_urlconf(wrong), REST_FRAMEWORK=rest) as app:
        yield app
