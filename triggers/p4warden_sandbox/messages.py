# Numbers and texts are those of a real server (Perforce API source msgs/msg*.cc, release 2024.2),
# except `NOT_IN_SANDBOX` and where a comment says so. The quoting `%'...'%` in those texts is left
# out, as real servers remove it before they send them.

from __future__ import annotations

from p4warden_sandbox.message_ids import db, dm, dm_info, server, server_info, supp
from p4warden_sandbox.message_stack import Generic, MessageId, Severity, Subsystem

OS_ERROR = MessageId(
    Subsystem.OS, 1, Severity.FAILED, Generic.FAULT, "%operation%: %arg%: %errmsg%"
)

INVALID_OPTION = supp(4, "Invalid option: -%option%.")
NEEDS_ARGUMENT = supp(5, "Option: -%option% needs argument.")
NEEDS_NUMBER = supp(33, "Option: -%option% needs a non-negative integer argument.")
EXTRA_ARGUMENT = supp(6, "Unexpected arguments.")
WRONG_ARGUMENTS = supp(7, "Missing/wrong number of arguments.")
USAGE = supp(8, "Usage: %text%")
REGEX_ERROR = supp(30, "Regular expression error: %text%")

EXTRA_DOTS = db(35, "Only three ... permitted in '%arg%'.")
EXTRA_STARS = db(36, "Too many *'s in '%arg%'.")
DUPLICATE_WILDCARDS = db(37, "Duplicate wildcards in '%arg%'.")
WILD_MISMATCH = db(38, "Incompatible wildcards '%arg%' <-> '%arg2%'.")
JUXTAPOSED = db(74, "Senseless juxtaposition of wildcards in '%arg%'.", Generic.TOO_BIG)
FIELD_TOO_MANY = db(42, "Too many entries for field '%field%'.")
FIELD_BAD_VALUE = db(43, "Value for field '%field%' must be one of %text%.")
FIELD_WORDS = db(44, "Wrong number of words for field '%field%'.")
FIELD_MISSING = db(45, "Missing required field '%field%'.")
FIELD_UNKNOWN = db(47, "Unknown field name '%field%'.")
SYNTAX = db(50, "Syntax error in '%value%'.")
LINE_NUMBER = db(51, "Error detected at line %line%.")
NO_END_QUOTE = db(63, "No matching end quote in '%value%'.")

INVALID_TYPE = dm(2, "Invalid %type% '%arg%'.")
ID_TOO_LONG = dm(3, "Identifiers too long.  Must not be longer than 1024 bytes of UTF-8.")
ID_HAS_DASH = dm(4, "Initial dash character not allowed in '%id%'.")
ID_EMPTY = dm(5, "Empty identifier not allowed.")
ID_NON_PRINTABLE = dm(6, "Non-printable characters not allowed in '%id%'.")
ID_HAS_REVISION = dm(7, "Revision chars (@, #) not allowed in '%id%'.")
ID_HAS_SLASH = dm(8, "Slashes (/) not allowed in '%id%'.")
ID_WILD = dm(11, "Wildcards (*, %%%%x, ...) not allowed in '%id%'.")
ID_NUMBER = dm(12, "Purely numeric name not allowed - '%id%'.")
STREAM_DEPTH = dm(
    504, "Stream '%stream%' must reside in first folder below depot level.", Generic.NONE
)

BAD_OPTION = dm(13, "Invalid option '%option%' in %field% option field.")
NO_SUCH_DEPOT = dm(32, "Depot '%depotName%' doesn't exist.", Generic.UNKNOWN)
NO_SUCH_DEPOT_2 = dm(33, "Depot '%depot%' unknown - use 'depot' to create it.", Generic.UNKNOWN)
NO_SUCH_DOMAIN = dm(34, "%type% '%name%' doesn't exist.", Generic.UNKNOWN)
PROTECTIONS_EMPTY = dm(456, "Protections table is empty.", Generic.ADMIN)
NO_PERMISSION = dm(41, "You don't have permission for this operation.", Generic.PROTECT)
MAP_NOT_UNDER = dm(44, "Mapping '%depotFile%' is not under '%prefix%'.", Generic.CONTEXT)
LOCKED_UPDATE = dm(
    68, "Locked %type% '%name%' owned by '%user%'; use -f to force update.", Generic.PROTECT
)
DEFAULT_BRANCH_VIEW = dm(
    87, "You cannot use the default branch view; it is just a sample.", Generic.USAGE
)
NO_SUCH_JOB = dm(38, "Job '%job%' doesn't exist.", Generic.UNKNOWN)
NO_SUCH_GROUP = dm(72, "Group '%group%' doesn't exist.", Generic.UNKNOWN)
DOMAIN_SWITCHED = dm_info(608, "%domainType% %domainName% switched.")
DEPOT_SAVED = dm_info(210, "Depot %depotName% saved.")
DEPOT_UNCHANGED = dm_info(211, "Depot %depotName% not changed.")
DEPOT_DELETED = dm_info(212, "Depot %depotName% deleted.")
DOMAIN_SAVED = dm_info(226, "%domainType% %domainName% saved.")
DOMAIN_UNCHANGED = dm_info(227, "%domainType% %domainName% not changed.")
DOMAIN_DELETED = dm_info(228, "%domainType% %domainName% deleted.")
GROUP_CREATED = dm_info(241, "Group %group% created.")
GROUP_DELETED = dm_info(243, "Group %group% deleted.")
GROUP_NOT_UPDATED = dm_info(244, "Group %group% not updated.")
GROUP_UPDATED = dm_info(245, "Group %group% updated.")
PROTECTIONS_SAVED = dm_info(306, "Protections saved.")
PROTECTIONS_UNCHANGED = dm_info(307, "Protections not changed.")
NO_ACCESS = dm(
    123, "Access for user '%user%' has not been enabled by 'p4 protect'.", Generic.PROTECT
)
TOO_MANY_CLIENTS = dm(37, "Can't add client - over license quota.", Generic.ADMIN)
TOO_MANY_USERS = dm(43, "Can't create a new user - over license quota.", Generic.ADMIN)
NO_CLEAR_TEXT = dm(
    419, "Passwords can only be set by 'p4 passwd' at this security level.", Generic.USAGE
)
NO_LAST_SUPER = dm(
    469, "Can't delete last valid 'super' entry from protections table.", Generic.ADMIN
)
JOB_SAVED = dm_info(266, "Job %job% saved.")
JOB_UNCHANGED = dm_info(267, "Job %job% not changed.")
JOB_DELETED = dm_info(268, "Job %job% deleted.")
SPEC_SAVED = dm_info(414, "Spec %type% saved.")
SPEC_UNCHANGED = dm_info(415, "Spec %type% not changed.")
SPEC_NOT_DEFINED = dm(417, "Spec %type% not defined.", Generic.UNKNOWN)
TRIGGERS_SAVED = dm_info(352, "Triggers saved.")
TRIGGERS_UNCHANGED = dm_info(353, "Triggers not changed.")
USER_SAVED = dm_info(356, "User %user% saved.")
# The number and the text of this "not changed" message are inferred from similar messages.
USER_UNCHANGED = dm_info(357, "User %user% not changed.")
NO_SUCH_USER = dm(358, "User %user% doesn't exist.", Generic.UNKNOWN)
USER_DELETED = dm_info(360, "User %user% deleted.")
SERVER_SAVED = dm_info(661, "Server %serverName% saved.")
SERVER_UNCHANGED = dm_info(662, "Server %serverName% not changed.")
SERVER_DELETED = dm_info(663, "Server %serverName% deleted.")
NO_SUCH_SERVER = dm(664, "Server '%server%' doesn't exist.", Generic.UNKNOWN)
SPEC_MAP_ELSEWHERE = dm(
    675, "SpecMap entries may only be added for a depot of type 'spec'.", Generic.NONE
)
NO_DEPOT_PROGRAM = dm(
    793,
    "Trigger depot file '%file%' not found, purged or wrong type for trigger '%trigger%'.",
    Generic.UNKNOWN,
)
ARCHIVE_DEPOT_PROGRAM = dm(794, "Archive trigger may not use trigger depot files.")
SECOND_TRIGGER_OF_TYPE = dm(960, "Only one trigger of type %type% allowed.")
INCOMPLETE_2FA = dm(961, "Incomplete set of multi factor authentication triggers defined.")
SECOND_DEPOT_OF_TYPE = dm(
    885, "There is already a %depotType% depot called '%depot%'.", Generic.CONTEXT
)
# The number is not published.
LIMIT_VIEW_MIXED = dm(
    1100, "LimitView must be either depot syntax or client syntax, not a mix of both."
)
CLIENT_NO_SWITCH = dm(
    821,
    "Client '%client%' already exists; use a new client or -s without -o to switch to different"
    " stream.",
    Generic.NONE,
)

BAD_PASSWORD = server(21, "Perforce password (P4PASSWD) invalid or unset.", Generic.CONFIG)
UNICODE_SERVER = server(22, "Unicode server permits only unicode enabled clients.", Generic.CONFIG)
UNICODE_CLIENT = server(23, "Unicode clients require a unicode enabled server.", Generic.CONFIG)
UNKNOWN_COMMAND = server(26, "Unknown command.  Try 'p4 help' for info.", Generic.USAGE)
PASSWORD_INVALID = server(38, "Password invalid.", Generic.ILLEGAL)
PASSWORDS_DIFFER = server(39, "Passwords don't match.", Generic.ILLEGAL)
MUST_SET_PASSWORD = server(
    307, "Password must be set before access can be granted.", Generic.USAGE
)
TICKET_ONLY = server(
    322, "Password not allowed at this server security level, use 'p4 login'.", Generic.USAGE
)
PASSWORD_EXPIRED = server(
    455, "Your password has expired, please change your password.", Generic.ILLEGAL
)
SUPER_SETS_PASSWORD = MessageId(
    Subsystem.SERVER2,
    238,
    Severity.FAILED,
    Generic.PROTECT,
    "Initial passwords can only be set by a super-user whose password is set.",
)
TRIGGER_FAILED = server(47, "'%trigger%' validation failed: %result%", Generic.NOT_YET)
TRIGGER_UNEXPECTED = server(889, "Unexpected return code from trigger!", Generic.NOT_YET)
PASSWORD_UPDATED = server_info(121, "Password updated.")
PASSWORD_DELETED = server_info(122, "Password deleted.")
LOGIN_NOT_REQUIRED = server_info(
    313, "'login' not necessary, no password set for [user %user%|this user]."
)
LOGGED_OUT = server_info(315, "User %user% logged out.")
ERROR_IN_SPEC = server(323, "Error in %domain% specification.", Generic.ILLEGAL)
LOGGED_IN = server_info(325, "User %user% logged in.")
LOGIN_GOOD_TILL = server_info(
    326, "User %user% ticket expires in %hours% hours %minutes% minutes."
)
FORM_GIVEN_UP = server_info(124, "Specification not corrected -- giving up.")
FORM_OUT_GARBLED = server_info(350, "Error parsing form text; check form-out triggers?")
TRIGGER_OUTPUT = server_info(362, "%result%", Generic.NOT_YET)
NO_SERVER_ID = server(569, "Server does not yet have a server ID.", Generic.USAGE)
MONITOR_BAD_ID = server(138, "Invalid session identifier: %id%", Generic.USAGE)
MONITOR_TERMINATE = dm_info(408, "** process '%id%' marked for termination **")
MONITOR_CANT_TERMINATE = dm_info(
    409, "** process '%id%' can't terminate, runtime < %t% seconds **"
)
COMMAND_CANCELLED = server(332, "Command terminated by 'p4 monitor terminate'.", Generic.ADMIN)
MONITOR_DISABLED = server(137, "Monitor not currently enabled.", Generic.ADMIN)
CONFIGURE_SET = server_info(
    437,
    "For server '%serverName%', configuration variable '%variableName%' set to '%variableValue%'",
)
CONFIGURE_UNSET = server_info(
    438, "For server '%serverName%', configuration variable '%variableName%' removed."
)
UNLOAD_DEPOT_MISSING = server(
    612, "No unload depot has been defined for this server.", Generic.USAGE
)
CLIENT_UNLOADED = dm_info(715, "%object% %name% unloaded.")
CLIENT_RELOADED = dm_info(716, "%object% %name% reloaded.")
PROPERTY_ADDED = server_info(634, "Property %settingName% %action%.")
PROPERTY_DELETED = server_info(635, "Property %settingName% deleted.")
USE_PROPERTY = server(
    636,
    "Usage: property [ -a -n name -v value | -d -n name | -l [ -n name ] ] [ -s sequence ]"
    " [ -u user | -g group ] [ -A ] [ -F filter -T taglist -m max ]",
    Generic.USAGE,
)
BAD_CONFIGURE_VALUE = server(
    440, "Configuration variable '%name%' may not be set to '%value%'.", Generic.USAGE
)
TRIGGER_GARBLED = server(
    675,
    "A server-side trigger ('%trigger%') produced indecipherable output (%type%)",
    Generic.ADMIN,
)
# A message that only the sandbox sends; its number is the highest that the protocol allows.
NOT_IN_SANDBOX = server(1023, "The p4warden sandbox does not do '%what%'.", Generic.USAGE)
