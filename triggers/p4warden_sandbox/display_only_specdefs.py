# Forms that the sandbox shows but cannot save; `specdefs.py` names their source.

from __future__ import annotations

from p4warden_sandbox.form_fields import Field, FieldRequirement, FieldType, FormDefinition

_REQUIRED, _KEY, _LINE = FieldRequirement.REQUIRED, FieldRequirement.KEY, FieldType.LINE
_SERVER_ONLY = FieldRequirement.SERVER_ONLY

LDAP = FormDefinition(
    "ldap",
    (
        Field("Name", 801, need=_REQUIRED, length=32),
        Field("Host", 802, need=_REQUIRED, length=128),
        Field("Port", 803, need=_REQUIRED, length=5),
        Field("Encryption", 804, need=_REQUIRED, values="none/ssl/tls", length=10),
        Field("BindMethod", 805, need=_REQUIRED, values="simple/search/sasl", length=10),
        Field(
            "Options",
            816,
            _LINE,
            values="nodowncase/downcase,nogetattrs/getattrs,norealminusername/realminusername",
        ),
        Field("SimplePattern", 806, _LINE, length=128),
        Field("SearchBaseDN", 807, _LINE, length=128),
        Field("SearchFilter", 808, _LINE, length=128),
        Field("SearchScope", 809, values="baseonly/children/subtree", length=10),
        Field("SearchBindDN", 810, _LINE, length=128),
        Field("SearchPasswd", 811, _LINE, length=128),
        Field("SaslRealm", 812, length=128),
        Field("GroupBaseDN", 813, _LINE, length=128),
        Field("GroupSearchFilter", 814, _LINE, length=128),
        Field("GroupSearchScope", 815, values="baseonly/children/subtree", length=10),
        Field("AttributeUid", 817, length=128),
        Field("AttributeName", 818, _LINE, length=128),
        Field("AttributeEmail", 819, length=128),
    ),
)

REMOTE = FormDefinition(
    "remote",
    (
        Field("RemoteID", 851, need=_KEY, layout="L", length=32),
        Field("Address", 852, _LINE, _REQUIRED, length=32),
        Field("Owner", 853, layout="R", length=32),
        Field("RemoteUser", 861, layout="R", length=32),
        Field(
            "Options",
            854,
            _LINE,
            values="unlocked/locked,nocompress/compress,copyrcs/nocopyrcs",
            length=32,
        ),
        Field("Update", 855, FieldType.DATE, _SERVER_ONLY, layout="L", length=20),
        Field("Access", 856, FieldType.DATE, _SERVER_ONLY, layout="L", length=20),
        Field("Description", 857, FieldType.TEXT, length=128),
        Field("LastFetch", 858, layout="L", length=10),
        Field("LastPush", 859, layout="L", length=10),
        Field("DepotMap", 860, FieldType.WORD_LIST, words=2),
        Field("ArchiveLimits", 862, FieldType.WORD_LIST, words=2),
        Field("RemoteCharset", 863, _LINE, length=32),
    ),
)

REPO = FormDefinition(
    "repo",
    (
        Field("Repo", 1001, need=_KEY, layout="L", length=128),
        Field("Owner", 1002, layout="R", length=32),
        Field("Created", 1003, FieldType.DATE, _SERVER_ONLY, layout="L", length=20),
        Field("Pushed", 1004, FieldType.DATE, _SERVER_ONLY, layout="R", length=20),
        Field("ForkedFrom", 1005, need=_SERVER_ONLY, layout="L", length=128),
        Field("Description", 1006, FieldType.TEXT, length=128),
        Field("DefaultBranch", 1007, layout="L", length=32),
        Field("MirroredFrom", 1008, layout="R", length=32),
        Field("Options", 1009, FieldType.SELECT, values="lfs/nolfs", length=10),
        Field("GconnMirrorServerId", 1010, layout="L", length=32),
    ),
)

TYPEMAP = FormDefinition(
    "typemap",
    (
        Field(
            "TypeMap", 601, FieldType.WORD_LIST, FieldRequirement.MAY_BE_EMPTY, words=2, layout="C"
        ),
    ),
)

DISPLAY_ONLY_FORMS = {form.name: form for form in (LDAP, REMOTE, REPO, TYPEMAP)}
