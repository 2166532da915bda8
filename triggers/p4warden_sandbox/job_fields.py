# `p4 help jobspec`, server release 2024.2.

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.form_fields import Field, FieldRequirement, FieldType, FormDefinition
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import INVALID_TYPE
from p4warden_sandbox.specdefs import JOBSPEC
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.words import is_whole_number, split_words

if TYPE_CHECKING:
    from p4warden_sandbox.store import Store

_KINDS = {
    "word": FieldType.WORD,
    "date": FieldType.DATE,
    "select": FieldType.SELECT,
    "line": FieldType.LINE,
    "text": FieldType.TEXT,
    "bulk": FieldType.TEXT,
}
_NEEDS = {
    "optional": FieldRequirement.OPTIONAL,
    "default": FieldRequirement.OPTIONAL,
    "required": FieldRequirement.REQUIRED,
    "once": FieldRequirement.SERVER_ONLY,
    "always": FieldRequirement.SERVER_ONLY,
}
_FIRST_OWN_CODE = 106
# The default jobspec of server release 2024.2 (P4Python's SpecMgr.cpp).
_DEFAULT = Spec(JOBSPEC).having(
    Fields=[
        "101 Job word 32 required",
        "102 Status select 10 required",
        "103 User word 32 required",
        "104 Date date 20 always",
        "105 Description text 0 required",
    ],
    Values=["Status open/suspended/closed"],
    Presets=["Status open", "User $user", "Date $now", "Description $blank"],
)


def jobspec(store: Store) -> Spec:
    """Return the stored jobspec, or the default one: the form that lists the fields of jobs."""
    return store.find(JOBSPEC.name, JOBSPEC.name) or _DEFAULT


def job_form(spec: Spec) -> FormDefinition:
    """Return the form of jobs; raise CommandError if a field of the jobspec is not valid."""
    values = dict(split_words(line) for line in spec.lines("Values"))
    fields = []
    for number, line in enumerate(spec.lines("Fields"), _FIRST_OWN_CODE):
        code, name, kind, length, need = split_words(line)
        _check(code, kind, length, need)
        fields.append(
            Field(
                name,
                int(code) if code != "NNN" else number,
                _KINDS[kind],
                _NEEDS[need],
                values=values.get(name, ""),
                length=int(length),
            )
        )
    return FormDefinition("job", tuple(fields))


def presets(spec: Spec) -> dict[str, str]:
    """Return the preset values of a new job by field name, as the jobspec lists them."""
    return dict(split_words(line) for line in spec.lines("Presets"))


def _check(code: str, kind: str, length: str, need: str) -> None:
    for part, word, is_good in (
        ("field code", code, code == "NNN" or is_whole_number(code)),
        ("field type", kind, kind in _KINDS),
        ("field length", length, is_whole_number(length)),
        ("field setting", need, need in _NEEDS),
    ):
        if not is_good:
            raise CommandError(INVALID_TYPE, type=part, arg=word)
