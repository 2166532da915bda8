# The messages are those in Perforce API source msgs/msgdm.cc (793, 794, 960, 961); that all of
# them appear when the table is saved, and for which trigger types, is inferred.

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    ARCHIVE_DEPOT_PROGRAM,
    INCOMPLETE_2FA,
    SECOND_TRIGGER_OF_TYPE,
)
from p4warden_sandbox.trigger_programs import find, references
from p4warden_sandbox.trigger_table import rows

if TYPE_CHECKING:
    from p4warden_sandbox.depot_files import DepotFiles
    from p4warden_sandbox.settings import Settings
    from p4warden_sandbox.specs import Spec
    from p4warden_sandbox.trigger_table import Row

_2FA = frozenset({"auth-pre-2fa", "auth-init-2fa", "auth-check-2fa"})
_SINGLE = frozenset({"auth-check", "auth-check-sso", "auth-set", "service-check"}) | _2FA


def check_set(table: Spec, settings: Settings, files: DepotFiles) -> None:
    """Raise CommandError if the types of lines do not fit together or a program is missing."""
    lines = rows(table)
    _check_types(lines, settings)
    for row in lines:
        programs = references(row)
        if (
            programs
            and row.type == "archive"
            and settings.behaves("archive-depot-file", "refused")
        ):
            raise CommandError(ARCHIVE_DEPOT_PROGRAM)
        if settings.behaves("depot-programs", "must-exist"):
            for reference in programs:
                find(files, row, reference)


def _check_types(lines: list[Row], settings: Settings) -> None:
    types = Counter(row.type for row in lines)
    if 0 < len(_2FA & types.keys()) < len(_2FA):
        raise CommandError(INCOMPLETE_2FA)
    if settings.behaves("single-types", "one"):
        for kind in sorted(_SINGLE & types.keys()):
            if types[kind] > 1:
                raise CommandError(SECOND_TRIGGER_OF_TYPE, type=kind)
