"""The sandbox: a small Perforce server for demos and tests, not for real work.

It keeps all in memory and cannot merge or unshelve files. Where a behaviour of p4d is not
documented, a comment in the code says that it is inferred. It has its own parser of forms and its
own word splitter and imports only p4warden's errors, so that a mistake in one is not repeated in
the other.
"""

from p4warden_sandbox.report_settings import ReportSettings, settings_from_report
from p4warden_sandbox.server import Sandbox
from p4warden_sandbox.settings import (
    DepotSeed,
    GroupSeed,
    Pressure,
    ServerVersion,
    Settings,
    StreamSeed,
    UserSeed,
)
from p4warden_sandbox.variants import choice_from_words, listing
from p4warden_sandbox.version_sets import like

__all__ = [
    "DepotSeed",
    "GroupSeed",
    "Pressure",
    "ReportSettings",
    "Sandbox",
    "ServerVersion",
    "Settings",
    "StreamSeed",
    "UserSeed",
    "choice_from_words",
    "like",
    "listing",
    "settings_from_report",
]
