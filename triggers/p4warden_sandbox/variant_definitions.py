# The first value of a variant is its default. Each source has a grade in parentheses: D
# documented, C read in the public source of the Perforce API, I inferred, U unknown. For grades I
# and U, p4warden must work under every value.

from __future__ import annotations

from typing import NamedTuple


class Variant(NamedTuple):
    name: str
    values: tuple[str, ...]
    description: str
    source: str

    @property
    def default(self) -> str:
        return self.values[0]


class Exclusion(NamedTuple):
    """`first_value` and `second_value` are each a variant's name and its value."""

    first_value: tuple[str, str]
    second_value: tuple[str, str]
    reason: str


VARIANTS = (
    Variant(
        "table",
        ("command", "connection"),
        "The triggers table is read for each command, or once for each connection.",
        "P4Python p4test.py, testSpecdefTrigger connects again after a save (I)",
    ),
    Variant(
        "processes",
        ("server", "connection"),
        "Triggers are started by the process of the server, or by one for each connection.",
        "Perforce API source sys/runcmd.cc; that it is forked is inferred (I)",
    ),
    Variant(
        "post-user-triggers",
        ("after-success", "after-all"),
        "Triggers after a command run once it has succeeded, or also once it has failed.",
        "`p4 help triggers` says after the command (U)",
    ),
    Variant(
        "change-files",
        ("submit", "content"),
        "`files @=N` answers from change-submit and shelve-submit on, or once files are sent.",
        "`p4 help triggers` names `@=` for change-content only (U)",
    ),
    Variant(
        "odd-names",
        ("accepted", "refused", "rewritten"),
        "Users, clients and programs whose names hold a quote, blank, tab or NUL are accepted, "
        "refused, or get `_` in their place.",
        "no source (U)",
    ),
    Variant(
        "authentication",
        ("before-triggers", "after-triggers"),
        "A user is authenticated before or after the pre-user triggers of the command.",
        "no source (U)",
    ),
    Variant(
        "args",
        ("plain", "quoted", "doubled"),
        "%args% has its words as they are; or those with a blank, and empty ones, in quotes; or "
        "the same with the quotes inside doubled.",
        "`p4 help triggers` says no more than that it is the list of arguments (U)",
    ),
    Variant(
        "args-quoted",
        ("comma", "percent", "csv"),
        "%argsQuoted% encodes `,` and `%` alone; or all but letters, digits and `_.-~`; or quotes "
        "words as CSV does.",
        "`p4 help triggers`: CSV; P4 Server Administration Guide: percent-encoded (D, both)",
    ),
    Variant(
        "unknown-variables",
        ("left", "emptied", "removed"),
        "An unknown %variable% stays as it is written, gives nothing, or takes its word with it.",
        "P4 Server Administration Guide: it stays (D); before 2014.1 it went (I)",
    ),
    Variant(
        "command-name",
        ("typed", "main"),
        "%command% and the event of a synonym (workspace, changelist) are as typed, or those of "
        "the main name.",
        "no source (U)",
    ),
    Variant(
        "groups",
        ("blanks", "commas", "direct"),
        "%groups% has all groups with blanks between, or commas, or only the groups that list the "
        "user.",
        "release notes 2014.1 say space-separated (D); subgroups (U)",
    ),
    Variant(
        "command-pattern",
        ("anywhere", "start", "whole"),
        "The path of a command trigger matches anywhere in the event's name, from its start, or "
        "the whole of it.",
        "`p4 help triggers`: not anchored at the end (D); at the start (U)",
    ),
    Variant(
        "refusal-order",
        ("context-first", "context-last", "alone"),
        "A refusal stands below the line that names the form or changelist, above it, or alone.",
        "the texts are in Perforce API msgs/msgserver.cc (C); their order (I)",
    ),
    Variant(
        "killed",
        ("success", "failure"),
        "A trigger that a signal ended counts as success, or as failure.",
        "Perforce API sys/runcmd.cc takes WEXITSTATUS (C); p4d itself (I)",
    ),
    Variant(
        "unstarted-trigger",
        ("named", "unwrapped", "unexpected"),
        "A trigger that cannot be started is refused by its name; or with the command alone; or "
        "with `Unexpected return code from trigger!`.",
        "Perforce API sys/runcmd.cc, msgs/msgserver.cc 47, 889 (C); which of them (I)",
    ),
    Variant(
        "form-file-mode",
        ("0600", "0400", "0644", "0666"),
        "The mode of the file that %formfile% names.",
        "no source (U)",
    ),
    Variant(
        "form-fields",
        ("filled", "absent"),
        "Optional fields that a saved form leaves out are filled in, or stay absent.",
        "no source (U)",
    ),
    Variant(
        "form-save-text",
        ("sent", "regenerated"),
        "form-save triggers see the text that the client sent, or one made anew from its fields.",
        "release notes 2012.1 fix an empty file there (D); no document says which text it is (U)",
    ),
    Variant(
        "missing-view",
        ("absent", "filled-before", "filled-after"),
        "A client whose form has no View is stored without one, or with one of all depots, which "
        "form-save triggers see or do not see.",
        "p4 help client: the default view maps all depots (D); with `client -i` (U)",
    ),
    Variant(
        "unchanged-form",
        ("fires", "silent"),
        "form-save triggers run for a form that changes nothing, or do not.",
        "no source (U)",
    ),
    Variant(
        "stream-switch",
        ("fires", "silent"),
        "`client -s` and `switch` run the triggers of the client's form, or do not.",
        "no source (U)",
    ),
    Variant(
        "saves",
        ("parallel", "serial"),
        "Triggers of two saves of one type of form run at once, or one save after the other.",
        "client lock around a trigger in public server logs (I)",
    ),
    Variant(
        "forwarded",
        ("once", "twice"),
        "A command runs its triggers once, or twice as at an edge and at its commit server.",
        "no source (U)",
    ),
    Variant(
        "other-triggers",
        ("silent", "print"),
        "Every command of a program named p4warden has triggers of another tool before and after "
        "it that print on success, as has form-out; `triggers -o` does not show their lines.",
        "P4 Server Administration Guide: p4d passes the text on (D); where it stands (I)",
    ),
    Variant(
        "depot-programs",
        ("unchecked", "must-exist"),
        "A trigger's program in a depot need not, or must, exist when the table is saved.",
        "Perforce API msgs/msgdm.cc 793 (C); when it is checked (U)",
    ),
    Variant(
        "single-types",
        ("unchecked", "one"),
        "Types of which one trigger makes sense may stand on several lines, or not.",
        "Perforce API msgs/msgdm.cc 960 (C); which types (I)",
    ),
    Variant(
        "archive-depot-file",
        ("unchecked", "refused"),
        "A table whose archive trigger has its program in a depot is saved, or refused.",
        "Perforce API msgs/msgdm.cc 794 (C)",
    ),
    Variant(
        "server-id",
        ("none", "set"),
        "The server has no server.id, as a new p4d, or has one.",
        "Perforce API msgs/msgserver.cc 569, NoServerID (C)",
    ),
    Variant(
        "info-server-id",
        ("ServerID", "serverID"),
        "The tag of the server id in `p4 -ztag info`.",
        "both spellings occur in Perforce API msgs/msgserver.cc 570, 598 (C); which it is (I)",
    ),
    Variant(
        "protections",
        ("empty", "filled"),
        "The protections table is empty, as on a new p4d before 2026.1, or has lines.",
        "Perforce API msgs/msgdm.cc 456, ProtectsEmpty (C)",
    ),
    Variant(
        "spec-depot-file",
        ("folder", "plain"),
        "A spec depot stores the triggers table as `triggers/triggers`, or as `triggers`.",
        "`p4 help depot`: formtype/name (D); the name of a form that has none (U)",
    ),
    Variant(
        "case",
        ("sensitive", "insensitive"),
        "The server tells A from a, or does not.",
        "p4d -C1 (D)",
    ),
    Variant(
        "unicode",
        ("off", "on"),
        "The server is in unicode mode, or not.",
        "p4d -xi (D)",
    ),
    Variant(
        "security",
        ("0", "1", "2", "3", "4", "by-default"),
        "The configurable `security`; or 4 and all that goes with it, as a new server of 2026.1 "
        "starts: no access before a super user has a password, and no implicit users.",
        'P4 Server Administration Guide, "Server security levels", "Secure by default" (D)',
    ),
    Variant(
        "license",
        ("unlimited", "none"),
        "As many users and clients as are wanted, or 5 and 20.",
        "Perforce, conditions for use without a license (D)",
    ),
    Variant(
        "triggers-io",
        ("0", "1"),
        "The configurable triggers.io.",
        "release notes 2014.1; default 0 (D)",
    ),
    Variant(
        "dictionary-notation",
        ("colon", "colon-blank"),
        "With triggers.io=1 a variable is written as name:value, or as name: value.",
        "published scripts (I); release notes 2014.1: similar to the broker's (D)",
    ),
    Variant(
        "dictionary-values",
        ("encoded", "plain"),
        "With triggers.io=1 `%` and line ends in values are percent-encoded, or stay as they are.",
        "no source (U)",
    ),
)

DEFECTS = {
    "quoted-programs-pass": "No trigger runs for a program with a quotation mark in its name.",
    "exit-codes-ignored": "A trigger counts as success whatever its exit code is.",
    "first-lines-only": "A refusal has the first line of a trigger's text alone.",
    "clients-untracked": "A client that asks for tracking output gets none; the log has it.",
    "no-stream-depots": "A depot of type stream is refused.",
    "marks-ignored": "A command that is marked for termination runs on.",
    "untracked": "Neither a client nor the log is told the rows that a command read.",
}
"""Faults by name; p4warden cannot work around them, and `p4warden prove` must detect them."""

EXCLUSIONS = (
    Exclusion(
        ("killed", "failure"),
        ("triggers-io", "1"),
        "with triggers.io=1 the answer counts and the exit status does not",
    ),
)
