"""What the server says: Perforce's numbered messages and the stack they travel in.

A message's code packs severity, number of arguments, generic kind, subsystem and number (Perforce
API source support/error.h, ErrorOf). The client prints a stack from the last entry to the first,
so the innermost cause has index 0. Values travel beside the format and are never expanded again,
whatever they hold.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from p4warden.sandbox.wire import Message

_VARIABLE = re.compile(r"%([A-Za-z]\w*)%", re.ASCII)


class Severity(IntEnum):
    """How bad a message is; the client makes results, warnings and errors of it."""

    INFO = 1
    WARN = 2
    FAILED = 3


class Subsystem(IntEnum):
    """Which part of the server speaks."""

    OS = 0
    SUPP = 1
    DB = 4
    DM = 6
    SERVER = 7


class Generic(IntEnum):
    """What kind of trouble it is."""

    NONE = 0x00
    USAGE = 0x01
    UNKNOWN = 0x02
    CONTEXT = 0x03
    ILLEGAL = 0x04
    NOTYET = 0x05
    PROTECT = 0x06
    EMPTY = 0x11
    ADMIN = 0x23
    CONFIG = 0x24


class MessageId(NamedTuple):
    """One kind of message. `format` holds `%name%` for each value."""

    subsystem: Subsystem
    number: int
    severity: Severity
    generic: Generic
    format: str

    @property
    def code(self) -> int:
        """The number that identifies it on the wire."""
        arguments = len(set(_VARIABLE.findall(self.format)))
        return (
            self.severity << 28
            | arguments << 24
            | self.generic << 16
            | self.subsystem << 10
            | self.number
        )


class Said(NamedTuple):
    """A kind of message with its values."""

    kind: MessageId
    values: dict[str, str]


class CommandError(Exception):
    """A command cannot go on; its stack goes to the client. The innermost cause comes first."""

    def __init__(self, kind: MessageId, **values: str) -> None:
        super().__init__(kind.format, values)
        self.stack: tuple[Said, ...] = (Said(kind, values),)

    def under(self, kind: MessageId, **values: str) -> CommandError:
        """Return this error with one more line of context around it."""
        self.stack = (*self.stack, Said(kind, values))
        return self


def client_message(*stack: Said) -> Message:
    """Return the message that shows a stack, innermost cause first, at the client."""
    pairs: dict[str, str] = {}
    for index, said in enumerate(stack):
        pairs[f"code{index}"] = str(said.kind.code)
        pairs[f"fmt{index}"] = said.kind.format
    for said in stack:
        pairs.update(said.values)
    return Message.of("client-Message", pairs)


_OS, _SUPP, _DB, _DM, _SERVER = Subsystem
_INFO, _WARN, _FAILED = Severity

# Support: options of a command.
INVALID_OPTION = MessageId(_SUPP, 4, _FAILED, Generic.USAGE, "Invalid option: -%option%.")
NEEDS_ARGUMENT = MessageId(_SUPP, 5, _FAILED, Generic.USAGE, "Option: -%option% needs argument.")
EXTRA_ARGUMENT = MessageId(_SUPP, 6, _FAILED, Generic.USAGE, "Unexpected arguments.")
WRONG_ARGUMENTS = MessageId(_SUPP, 7, _FAILED, Generic.USAGE, "Missing/wrong number of arguments.")
USAGE = MessageId(_SUPP, 8, _FAILED, Generic.USAGE, "Usage: %text%")
REGEX_ERROR = MessageId(_SUPP, 30, _FAILED, Generic.USAGE, "Regular expression error: %text%")

# Database: forms and mappings.
EXTRA_DOTS = MessageId(_DB, 35, _FAILED, Generic.USAGE, "Only three ... permitted in '%arg%'.")
EXTRA_STARS = MessageId(_DB, 36, _FAILED, Generic.USAGE, "Too many *'s in '%arg%'.")
DUPLICATE_WILDCARDS = MessageId(_DB, 37, _FAILED, Generic.USAGE, "Duplicate wildcards in '%arg%'.")
WILD_MISMATCH = MessageId(
    _DB, 38, _FAILED, Generic.USAGE, "Incompatible wildcards '%arg%' <-> '%arg2%'."
)
JUXTAPOSED = MessageId(
    _DB, 74, _FAILED, Generic.USAGE, "Senseless juxtaposition of wildcards in '%arg%'."
)
FIELD_TOO_MANY = MessageId(
    _DB, 42, _FAILED, Generic.USAGE, "Too many entries for field '%field%'."
)
FIELD_BAD_VALUE = MessageId(
    _DB, 43, _FAILED, Generic.USAGE, "Value for field '%field%' must be one of %text%."
)
FIELD_WORDS = MessageId(
    _DB, 44, _FAILED, Generic.USAGE, "Wrong number of words for field '%field%'."
)
FIELD_MISSING = MessageId(_DB, 45, _FAILED, Generic.USAGE, "Missing required field '%field%'.")
FIELD_UNKNOWN = MessageId(_DB, 47, _FAILED, Generic.USAGE, "Unknown field name '%field%'.")
SYNTAX = MessageId(_DB, 50, _FAILED, Generic.USAGE, "Syntax error in '%value%'.")
LINE_NUMBER = MessageId(_DB, 51, _FAILED, Generic.USAGE, "Error detected at line %line%.")
NO_END_QUOTE = MessageId(_DB, 63, _FAILED, Generic.USAGE, "No matching end quote in '%value%'.")

# Data manager: what is stored.
INVALID_TYPE = MessageId(_DM, 2, _FAILED, Generic.USAGE, "Invalid %type% '%arg%'.")
ID_HAS_DASH = MessageId(
    _DM, 4, _FAILED, Generic.USAGE, "Initial dash character not allowed in '%id%'."
)
ID_EMPTY = MessageId(_DM, 5, _FAILED, Generic.USAGE, "Empty identifier not allowed.")
ID_NON_PRINTABLE = MessageId(
    _DM, 6, _FAILED, Generic.USAGE, "Non-printable characters not allowed in '%id%'."
)
ID_HAS_REVISION = MessageId(
    _DM, 7, _FAILED, Generic.USAGE, "Revision chars (@, #) not allowed in '%id%'."
)
ID_HAS_SLASH = MessageId(_DM, 8, _FAILED, Generic.USAGE, "Slashes (/) not allowed in '%id%'.")
ID_WILD = MessageId(
    _DM, 11, _FAILED, Generic.USAGE, "Wildcards (*, %%%%x, ...) not allowed in '%id%'."
)
ID_NUMBER = MessageId(_DM, 12, _FAILED, Generic.USAGE, "Purely numeric name not allowed - '%id%'.")
BAD_OPTION = MessageId(
    _DM, 13, _FAILED, Generic.USAGE, "Invalid option '%option%' in %field% option field."
)
NO_SUCH_COUNTER = MessageId(_DM, 30, _FAILED, Generic.UNKNOWN, "No such counter '%counter%'.")
NO_SUCH_DEPOT = MessageId(_DM, 32, _FAILED, Generic.UNKNOWN, "Depot '%depot%' doesn't exist.")
NO_SUCH_DEPOT_2 = MessageId(
    _DM, 33, _FAILED, Generic.UNKNOWN, "Depot '%depot%' unknown - use 'depot' to create it."
)
NO_SUCH_DOMAIN = MessageId(_DM, 34, _FAILED, Generic.UNKNOWN, "%type% '%name%' doesn't exist.")
NO_SUCH_DOMAIN_2 = MessageId(
    _DM,
    35,
    _FAILED,
    Generic.UNKNOWN,
    "%type% '%name%' unknown - use '%command%' command to create it.",
)
NO_PERMISSION = MessageId(
    _DM, 41, _FAILED, Generic.PROTECT, "You don't have permission for this operation."
)
MAP_NOT_UNDER = MessageId(
    _DM, 44, _FAILED, Generic.CONTEXT, "Mapping '%depotFile%' is not under '%prefix%'."
)
NO_SUCH_GROUP = MessageId(_DM, 72, _FAILED, Generic.UNKNOWN, "Group '%group%' doesn't exist.")
LOCKED_CLIENT = MessageId(
    _DM,
    94,
    _FAILED,
    Generic.PROTECT,
    "Locked client '%client%' can only be used by owner '%user%'.",
)
DEPOT_SAVED = MessageId(_DM, 210, _INFO, Generic.NONE, "Depot %depotName% saved.")
# The number of this one is inferred: it lies between its neighbours.
DEPOT_UNCHANGED = MessageId(_DM, 211, _INFO, Generic.NONE, "Depot %depotName% not changed.")
DEPOT_DELETED = MessageId(_DM, 212, _INFO, Generic.NONE, "Depot %depotName% deleted.")
DOMAIN_SAVED = MessageId(_DM, 226, _INFO, Generic.NONE, "%domainType% %domainName% saved.")
DOMAIN_UNCHANGED = MessageId(
    _DM, 227, _INFO, Generic.NONE, "%domainType% %domainName% not changed."
)
DOMAIN_DELETED = MessageId(_DM, 228, _INFO, Generic.NONE, "%domainType% %domainName% deleted.")
GROUP_CREATED = MessageId(_DM, 241, _INFO, Generic.NONE, "Group %group% created.")
GROUP_NOT_CREATED = MessageId(_DM, 242, _INFO, Generic.NONE, "Group %group% not created.")
GROUP_DELETED = MessageId(_DM, 243, _INFO, Generic.NONE, "Group %group% deleted.")
GROUP_NOT_UPDATED = MessageId(_DM, 244, _INFO, Generic.NONE, "Group %group% not updated.")
GROUP_UPDATED = MessageId(_DM, 245, _INFO, Generic.NONE, "Group %group% updated.")
TRIGGERS_SAVED = MessageId(_DM, 352, _INFO, Generic.NONE, "Triggers saved.")
TRIGGERS_UNCHANGED = MessageId(_DM, 353, _INFO, Generic.NONE, "Triggers not changed.")
USER_SAVED = MessageId(_DM, 356, _INFO, Generic.NONE, "User %user% saved.")
# The number of this one is inferred: it lies between its neighbours.
USER_UNCHANGED = MessageId(_DM, 357, _INFO, Generic.NONE, "User %user% not changed.")
NO_SUCH_USER = MessageId(_DM, 358, _FAILED, Generic.UNKNOWN, "User %user% doesn't exist.")
USER_DELETED = MessageId(_DM, 360, _INFO, Generic.NONE, "User %user% deleted.")
NO_SUCH_FILES = MessageId(_DM, 375, _WARN, Generic.EMPTY, "[%argc% - no|No] such file(s).")

# Server: commands, logging in, triggers.
BAD_PASSWORD = MessageId(
    _SERVER, 21, _FAILED, Generic.CONFIG, "Perforce password (%'P4PASSWD'%) invalid or unset."
)
UNICODE_SERVER = MessageId(
    _SERVER,
    22,
    _FAILED,
    Generic.CONFIG,
    "Unicode server permits only unicode enabled clients.",
)
UNICODE_CLIENT = MessageId(
    _SERVER, 23, _FAILED, Generic.CONFIG, "Unicode clients require a unicode enabled server."
)
UNKNOWN_COMMAND = MessageId(
    _SERVER, 26, _FAILED, Generic.USAGE, "Unknown command.  Try 'p4 help' for info."
)
PASSWORD_INVALID = MessageId(_SERVER, 38, _FAILED, Generic.ILLEGAL, "Password invalid.")
TRIGGER_FAILED = MessageId(
    _SERVER, 47, _FAILED, Generic.NOTYET, "'%trigger%' validation failed: %result%"
)
LOGIN_EXPIRED = MessageId(
    _SERVER, 312, _FAILED, Generic.ILLEGAL, "Your session has expired, please login again."
)
LOGIN_NOT_REQUIRED = MessageId(
    _SERVER,
    313,
    _INFO,
    Generic.NONE,
    "'login' not necessary, no password set for [user %user%|this user].",
)
LOGGED_OUT = MessageId(_SERVER, 315, _INFO, Generic.NONE, "User %user% logged out.")
ERROR_IN_SPEC = MessageId(
    _SERVER, 323, _FAILED, Generic.ILLEGAL, "Error in %domain% specification."
)
LOGGED_IN = MessageId(_SERVER, 325, _INFO, Generic.NONE, "User %user% logged in.")
LOGIN_GOOD_TILL = MessageId(
    _SERVER,
    326,
    _INFO,
    Generic.NONE,
    "User %user% ticket expires in %hours% hours %minutes% minutes.",
)
TRIGGER_OUTPUT = MessageId(_SERVER, 362, _INFO, Generic.NOTYET, "%result%")
TRIGGER_GARBLED = MessageId(
    _SERVER,
    675,
    _FAILED,
    Generic.ADMIN,
    "A server-side trigger ('%trigger%') produced indecipherable output (%type%)",
)

# The sandbox's own: it has no number of Perforce's, for no real server says it.
NOT_IN_SANDBOX = MessageId(
    _SERVER, 1023, _FAILED, Generic.USAGE, "The p4warden sandbox does not do '%what%'."
)
