# Numbers and texts have the source that `messages.py` names, except where a comment says so.

from __future__ import annotations

from p4warden_sandbox.message_ids import db, dm, dm_info, dm_none, server, server_info
from p4warden_sandbox.message_stack import Generic

REFER_CLIENT = dm(100, "%path% - must refer to client '%client%' or a depot.", Generic.UNKNOWN)
NEEDS_CLIENT = dm(
    99, "%arg% - must create client '%client%' to access local files.", Generic.CONFIG
)
NO_SUCH_CLIENT = dm(
    35, "%type% '%name%' unknown - use '%command%' command to create it.", Generic.UNKNOWN
)
NOT_UNDER_ROOT = db(39, "Path '%path%' is not under client's root '%root%'.", Generic.CONTEXT)
BAD_REVISION = dm(102, "Unintelligible revision specification '%arg%'.")
DIRS_DATA = dm_info(209, "%dirName%")
NO_SUCH_FILES = dm_none(375, "[%argc% - no|No] such file(s).")
NOT_IN_VIEW = dm_none(367, "[%argc% - file(s)|File(s)] not in client view.")
NOT_ON_CLIENT = dm_none(376, "[%argc% - file(s)|File(s)] not on client.")
UP_TO_DATE = dm_none(388, "[%argc% - file(s)|File(s)] up-to-date.")
NO_FILES_AT_CHANGE = dm_none(394, "[%argc% - no|No] file(s) at that changelist number.")
NO_FILES_AT_REVISION = dm_none(398, "[%argc% - no|No] file(s) at that revision.")

# The text and its number are invented.
MOVED_FROM = dm_info(1102, "%depotFile%%workRev% - moved from %fromFile%")
NO_SUBMIT_OF_STREAM = dm_info(553, "%depotFile% - warning: cannot submit from non-stream client")
# The text and its number are invented: no public source has the refusal of such a submit.
STREAM_CLIENT_NEEDED = dm(1101, "%depotFile% - cannot submit from non-stream client '%client%'.")
NOT_OPENED_HERE = dm_none(382, "[%argc% - file(s)|File(s)] not opened on this client.")

SYNC_OPENED = dm_info(347, "%depotFile%%workRev% - is opened and not being changed")
CHECKOUT_FAILED = server(1, "Librarian checkout %lbrFile% failed.", Generic.FAULT)

NO_SUCH_CHANGE = dm(26, "%change% unknown.", Generic.UNKNOWN)
BAD_CHANGE = dm(14, "Invalid changelist number '%change%'.")
NOT_OPENED_YET = dm(
    66,
    "Can't include file(s) not already opened.\nOpen new files with p4 add, p4 edit, etc.",
    Generic.ILLEGAL,
)
CHANGE_CREATED = dm_info(
    200, "%change% created[ with %workCount% open file(s)][ fixing %jobCount% job(s)]."
)
CHANGE_UPDATED = dm_info(
    201,
    "%change% updated[, adding %workCount% file(s)][, removing %workCount2% file(s)]"
    "[, adding %jobCount% fix(es)][, removing %jobCount2% fix(es)].",
)
CHANGE_DELETED = dm_info(205, "%change% deleted.")

NO_FILES_TO_SUBMIT = server(46, "No files to submit.", Generic.EMPTY)
NO_DEFAULT_FILES = server(50, "No files to submit from the default changelist.", Generic.EMPTY)
MUST_RESOLVE = dm_info(
    297, "%depotFile% - must sync/resolve %workRev% before submitting", Generic.USAGE
)
NOT_LOCKED = server(43, "File(s) couldn't be locked.", Generic.NOT_YET)
OUT_OF_DATE = server(45, "Out of date files must be resolved or reverted.", Generic.NOT_YET)
NOT_TRANSFERRED = server(51, "Some file(s) could not be transferred from client.", Generic.CLIENT)
OPENED_MEANWHILE = server(324, "Files newly opened or reverted during submission.", Generic.EMPTY)
SUBMIT_FAILED = server(
    42, "Submit failed -- fix problems above then use 'p4 submit -c %change%'.", Generic.NOT_YET
)
SUBMIT_ABORTED = server(
    49, "Submit aborted -- fix problems then use 'p4 submit -c %change%'.", Generic.NOT_YET
)
SUBMIT_REFUSED = server(
    48,
    "Submit validation failed -- fix problems then use 'p4 submit -c %change%'.",
    Generic.NOT_YET,
)

SHELVING = server_info(401, "Shelving files for change %change%.")
SHELVED = server_info(412, "%change% files shelved.")
NO_FILES_TO_SHELVE = server(406, "No files to shelve.", Generic.EMPTY)
SHELF_DELETED = server_info(
    408,
    "Shelved change %change% [partially deleted, still contains %count% file(s).|deleted.]",
)
SHELVE_ABORTED = server(
    405, "Shelve aborted -- fix problems then use 'p4 shelve -c %change%'.", Generic.NOT_YET
)
SHELVE_REFUSED = server(
    418, "Shelve validation failed -- fix problems then try again.", Generic.NOT_YET
)

# The number of POPULATED is inferred.
POPULATE_DESCRIPTION = dm_info(679, "Populate %target%[ from %source%].")
POPULATE_EXISTS = dm(678, "Can't populate target path when files already exist.", Generic.ILLEGAL)
POPULATED = server_info(571, "%changeFiles% files branched (change %change%).")

INTEGRATED = dm_none(372, "[%argc% - all|All] revision(s) already integrated.")
PURGED = dm_info(312, "%depotFile%%depotRev% - purged")
OBLITERATED = dm_info(309, "Deleted [%onRev% revision ]record(s).")
WOULD_OBLITERATE = dm_info(310, "Would delete [%onRev% revision ]record(s).")
