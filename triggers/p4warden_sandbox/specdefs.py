# Names, types, codes, word counts and values are those in the vendor's clients (P4Python's
# SpecMgr.cpp, server release 2024.2). The codes of later fields are not published; they have
# numbers here that no other field of the form has. Clients ignore codes.

from __future__ import annotations

from p4warden_sandbox.form_fields import Field, FieldRequirement, FieldType, FormDefinition


def _date(name: str, code: int, layout: str = "L", sequence: int = 0) -> Field:
    return Field(
        name,
        code,
        FieldType.DATE,
        FieldRequirement.SERVER_ONLY,
        layout=layout,
        sequence=sequence,
        length=20,
    )


def _key(name: str, code: int, layout: str = "", sequence: int = 0) -> Field:
    return Field(
        name,
        code,
        FieldType.WORD,
        FieldRequirement.KEY,
        layout=layout,
        sequence=sequence,
        length=32,
    )


def _text(name: str, code: int) -> Field:
    return Field(name, code, FieldType.TEXT, length=128)


def _select(
    name: str, code: int, values: str, need: FieldRequirement = FieldRequirement.OPTIONAL
) -> Field:
    return Field(name, code, FieldType.SELECT, need, values=values, length=32)


def _options(code: int, values: str) -> Field:
    return Field("Options", code, FieldType.LINE, values=values)


def _view(code: int, words: int) -> Field:
    return Field("View", code, FieldType.WORD_LIST, words=words, layout="C")


_LINE, _WORD_LIST, _LINE_LIST = FieldType.LINE, FieldType.WORD_LIST, FieldType.LINE_LIST

CLIENT = FormDefinition(
    "client",
    (
        _key("Client", 301, sequence=1),
        _date("Update", 302, sequence=2),
        _date("Access", 303, sequence=4),
        Field("Owner", 304, layout="R", sequence=3, length=32),
        Field("Host", 305, layout="R", sequence=5, length=32),
        _text("Description", 306),
        Field("Root", 307, _LINE, FieldRequirement.REQUIRED),
        Field("AltRoots", 308, _LINE_LIST),
        _options(
            309,
            "noallwrite/allwrite,noclobber/clobber,nocompress/compress,unlocked/locked,"
            "nomodtime/modtime,normdir/rmdir,noaltsync/altsync",
        ),
        _select(
            "SubmitOptions",
            313,
            "submitunchanged/submitunchanged+reopen/revertunchanged/revertunchanged+reopen/"
            "leaveunchanged/leaveunchanged+reopen",
        ),
        _select("LineEnd", 310, "local/unix/mac/win/share"),
        Field("Stream", 314, _LINE),
        Field("StreamAtChange", 316, _LINE),
        Field("ServerID", 315, _LINE, FieldRequirement.SERVER_ONLY),
        _select("Type", 318, "writeable/readonly/graph/partitioned/partitioned-jnl"),
        _select("Backup", 319, "enable/disable"),
        _view(311, words=2),
        Field("ChangeView", 317, _LINE_LIST),
        Field("LimitView", 320, _LINE_LIST, layout="C"),
    ),
)

# The client form of releases before 2025.2, without the field LimitView.
OLDER_CLIENT = FormDefinition(
    "client", tuple(field for field in CLIENT.fields if field.name != "LimitView")
)

DEPOT = FormDefinition(
    "depot",
    (
        _key("Depot", 251),
        Field("Owner", 252, length=32),
        _date("Date", 253, layout=""),
        _text("Description", 254),
        Field("Type", 255, need=FieldRequirement.REQUIRED, length=10),
        Field("Address", 256),
        Field("Suffix", 258),
        Field("StreamDepth", 260),
        Field("Map", 257, need=FieldRequirement.REQUIRED),
        Field("SpecMap", 259, _WORD_LIST),
    ),
)

STREAM = FormDefinition(
    "stream",
    (
        _key("Stream", 701),
        _date("Update", 705),
        _date("Access", 706),
        Field("Owner", 704, length=32),
        Field("Name", 703, _LINE, FieldRequirement.REQUIRED, length=32),
        Field("Parent", 702, need=FieldRequirement.REQUIRED),
        _select(
            "Type",
            708,
            "mainline/virtual/development/release/task/sparsedev/sparserel",
            FieldRequirement.REQUIRED,
        ),
        _text("Description", 709),
        _options(
            707,
            "allsubmit/ownersubmit,unlocked/locked,toparent/notoparent,"
            "fromparent/nofromparent,mergedown/mergeany",
        ),
        Field("ParentView", 715, need=FieldRequirement.REQUIRED, values="noinherit/inherit"),
        Field("Components", 716, _WORD_LIST, words=3, max_words=4, layout="C"),
        Field(
            "Paths", 710, _WORD_LIST, FieldRequirement.REQUIRED, words=2, max_words=3, layout="C"
        ),
        Field("Remapped", 711, _WORD_LIST, words=2, layout="C"),
        Field("Ignored", 712, _WORD_LIST, layout="C"),
        Field("View", 713, _WORD_LIST, words=2),
        Field("ChangeView", 714, _LINE_LIST, FieldRequirement.SERVER_ONLY),
    ),
)

# The stream form of releases before 2021.1, without the field ParentView. P4Java itself adds that
# field if a server of a later release sends a form without it.
OLDER_STREAM = FormDefinition(
    "stream", tuple(field for field in STREAM.fields if field.name != "ParentView")
)

BRANCH = FormDefinition(
    "branch",
    (
        _key("Branch", 301, layout="L"),
        _date("Update", 302),
        _date("Access", 303),
        Field("Owner", 304, layout="R", length=32),
        _text("Description", 306),
        _options(309, "unlocked/locked"),
        _view(311, words=2),
    ),
)

LABEL = FormDefinition(
    "label",
    (
        _key("Label", 301, layout="L"),
        _date("Update", 302),
        _date("Access", 303),
        Field("Owner", 304, layout="R", length=32),
        _text("Description", 306),
        _options(309, "unlocked/locked,noautoreload/autoreload"),
        Field("Revision", 312),
        Field("ServerID", 315, _LINE, FieldRequirement.SERVER_ONLY),
        _view(311, words=1),
    ),
)

CHANGE = FormDefinition(
    "change",
    (
        Field("Change", 201, need=FieldRequirement.KEY, layout="L", sequence=1, length=10),
        _date("Date", 202, layout="R", sequence=3),
        Field("Client", 203, need=FieldRequirement.SERVER_ONLY, layout="L", sequence=2, length=32),
        Field("User", 204, need=FieldRequirement.SERVER_ONLY, layout="L", sequence=4, length=32),
        Field("Status", 205, need=FieldRequirement.SERVER_ONLY, layout="R", sequence=5, length=10),
        Field("Type", 211, FieldType.SELECT, values="public/restricted", layout="L", sequence=6),
        Field("ImportedBy", 212, _LINE, FieldRequirement.SERVER_ONLY, layout="L", length=32),
        Field("Identity", 213, _LINE),
        Field("Description", 206, FieldType.TEXT, FieldRequirement.REQUIRED, sequence=7),
        Field("JobStatus", 207, FieldType.SELECT, layout="I", sequence=9),
        Field("Jobs", 208, _WORD_LIST, sequence=8, length=32),
        Field("Stream", 214, _LINE),
        Field("Files", 210, _LINE_LIST),
    ),
)

GROUP = FormDefinition(
    "group",
    (
        _key("Group", 401),
        _text("Description", 415),
        Field("MaxResults", 402, length=12),
        Field("MaxScanRows", 403, length=12),
        Field("MaxLockTime", 407, length=12),
        Field("MaxOpenFiles", 413, length=12),
        Field("MaxMemory", 416, length=12),
        Field("Timeout", 406, length=12),
        Field("PasswordTimeout", 409, length=12),
        Field("Subgroups", 404, _WORD_LIST, FieldRequirement.SHOWN_EMPTY, length=32),
        Field("Owners", 408, _WORD_LIST, FieldRequirement.SHOWN_EMPTY, length=32),
        Field("Users", 405, _WORD_LIST, FieldRequirement.SHOWN_EMPTY, length=32),
    ),
)

USER = FormDefinition(
    "user",
    (
        _key("User", 651, sequence=1),
        Field("Type", 659, need=FieldRequirement.SERVER_ONLY, layout="R", length=10),
        Field("Email", 652, need=FieldRequirement.REQUIRED, layout="R", sequence=3, length=32),
        _date("Update", 653, sequence=2),
        _date("Access", 654),
        Field("FullName", 655, _LINE, FieldRequirement.REQUIRED, layout="R", length=32),
        Field("JobView", 656, _LINE),
        Field("Password", 657, length=32),
        Field("AuthMethod", 662, layout="L", values="perforce/perforce+2fa/ldap/ldap+2fa"),
        Field("Reviews", 658, _WORD_LIST),
    ),
)

SERVER = FormDefinition(
    "server",
    (
        _key("ServerID", 751),
        Field("Type", 752, need=FieldRequirement.REQUIRED, length=32),
        Field("Name", 753, _LINE, length=32),
        Field("Address", 754, _LINE, length=32),
        Field("ExternalAddress", 755, _LINE, length=32),
        Field("Services", 756, need=FieldRequirement.REQUIRED, length=128),
        _options(764, "nomandatory/mandatory"),
        Field("ReplicatingFrom", 765, _LINE, length=32),
        _text("Description", 757),
        Field("User", 761, _LINE),
        Field("AllowedAddresses", 763, _WORD_LIST),
        Field("UpdateCachedRepos", 766, _WORD_LIST),
        Field("ClientDataFilter", 758, _WORD_LIST),
        Field("RevisionDataFilter", 759, _WORD_LIST),
        Field("ArchiveDataFilter", 760, _WORD_LIST),
        _text("DistributedConfig", 762),
    ),
)

PROTECT = FormDefinition(
    "protect",
    (Field("Protections", 501, _WORD_LIST, FieldRequirement.MAY_BE_EMPTY, words=5),),
)
TRIGGERS = FormDefinition(
    "triggers",
    (Field("Triggers", 551, _WORD_LIST, FieldRequirement.MAY_BE_EMPTY, words=4),),
)

_SPEC_FIELDS = (
    Field("Fields", 351, _WORD_LIST, FieldRequirement.REQUIRED, words=5),
    Field("Words", 352, _WORD_LIST, words=2),
    Field("Formats", 353, _WORD_LIST, words=3),
    Field("Values", 354, _WORD_LIST, words=2),
    Field("Presets", 355, _WORD_LIST, words=2),
    Field("Openable", 362, _WORD_LIST, words=2),
    Field("Maxwords", 361, _WORD_LIST, words=2),
    _text("Comments", 356),
)
JOBSPEC = FormDefinition("jobspec", _SPEC_FIELDS)
SPEC = FormDefinition("spec", _SPEC_FIELDS)

FORMS = {
    form.name: form
    for form in (
        BRANCH, CHANGE, CLIENT, DEPOT, GROUP, LABEL, PROTECT, SERVER, SPEC, STREAM, TRIGGERS, USER,
    )
}  # fmt: skip
