"""The pydantic models of the service on FastAPI."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from . import domain


class DataRequest(BaseModel):
    """A data request, as it is stored and shown."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    request_id: UUID = Field(default_factory=uuid4)
    created_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    expected_completion: datetime | None = None
    is_completed: bool = False
    completed_at: datetime | None = None
    data_requested: list[str]


class Settings(BaseModel):
    """The settings (2.3); a generator writes the names, but for two that it would write wrongly."""

    model_config = ConfigDict(alias_generator=to_camel)

    forgot_password_link: str = domain.SETTINGS["forgotPasswordLink"]
    legal_entity: str = domain.SETTINGS["legalEntity"]
    max_number_of_requests: int = domain.LIMIT
    oauth_client_id: str = Field(domain.SETTINGS["oAuthClientId"], alias="oAuthClientId")
    oauth_url: str = Field(domain.SETTINGS["oAuthUrl"], alias="oAuthUrl")
    organisation_name: str = domain.SETTINGS["organisationName"]
    privacy_policy: str = domain.SETTINGS["privacyPolicy"]
    privacy_contact_email: str = domain.SETTINGS["privacyContactEmail"]
    supported_lanaguages: list[str] = list(domain.LANGUAGES)
    terms_of_service: str = domain.SETTINGS["termsOfService"]


class DataType(BaseModel):
    """A data type (2.2)."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    type: str
    description: str
    context: str = domain.CONTEXT
    processing_ground: str = domain.GROUND
    is_erasable: bool
    is_rectifiable: bool
