"""Who is told what: `notifications`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from lakelogic.models import Model, Name, Names

Event = Literal["quarantine", "failure", "schema_drift", "dataset_rule_failed", "slo_breach", "slo_recovery"]


class Notification(Model):
    """One channel, and the events that are sent to it."""

    type: Name = Field(default="apprise", description="Channel, such as slack, teams, email or webhook.")
    target: Name | None = Field(default=None, description="Address of the channel; a secret may be written ${NAME}.")
    to: Names = Field(default=(), description="Receivers of an e-mail.")
    channel: Name | None = Field(default=None, description="Channel of a chat.")
    url: Name | None = Field(default=None, description="Address of a webhook.")
    targets: Names = Field(default=(), description="Several addresses.")
    on_events: tuple[Event, ...] = Field(default=(), description="Events to send; all when absent.")
    subject_template: str | None = Field(default=None, description="Template of the subject.")
    subject_template_file: Name | None = Field(default=None, description="File with the template of the subject.")
    message_template: str | None = Field(default=None, description="Template of the message.")
    message_template_file: Name | None = Field(default=None, description="File with the template of the message.")
    body_template: str | None = Field(default=None, description="Template of a webhook's body.")
    body_template_file: Name | None = Field(default=None, description="File with the template of a webhook's body.")
    template_context: Mapping[str, object] = Field(default={}, description="Further values for the templates.")
