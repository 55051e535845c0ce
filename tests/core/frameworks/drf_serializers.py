"""The model and the serializers of the service on Django REST framework."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from .django_project import create_tables  # configures the settings, which the imports below need

# isort: split
from django.db import models
from rest_framework import serializers

from . import domain


class DataRequest(models.Model):
    """A data request; the user's name stands for the user."""

    request_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.CharField(max_length=100)
    data_requested = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    completed_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "citizens"

    @property
    def is_completed(self) -> bool:
        """Whether everything was gathered."""
        return self.completed_at is not None

    @property
    def expected_completion(self) -> datetime:
        """When everything should be gathered."""
        return self.created_at + timedelta(days=30)


create_tables(DataRequest)


class DataRequestSerializer(serializers.Serializer):
    """A data request (2.1)."""

    requestId = serializers.UUIDField(source="request_id")
    createdAt = serializers.DateTimeField(source="created_at")
    expectedCompletion = serializers.DateTimeField(source="expected_completion")
    isCompleted = serializers.BooleanField(source="is_completed")
    dataRequested = serializers.ListField(source="data_requested")


class DataTypeSerializer(serializers.Serializer):
    """One data type, described in the language of the call."""

    type = serializers.CharField()
    description = serializers.SerializerMethodField()
    context = serializers.ReadOnlyField(default=domain.CONTEXT)
    processingGround = serializers.ReadOnlyField(default=domain.GROUND)
    isErasable = serializers.BooleanField(source="is_erasable")
    isRectifiable = serializers.BooleanField(source="is_rectifiable")

    def get_description(self, each: domain.DataType) -> str:
        """Return the description in the language that the view has chosen."""
        return each.descriptions[self.context["view"].language]
